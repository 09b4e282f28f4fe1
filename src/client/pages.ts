import { ClientFailure } from './client-failure.ts';

/**
 * Asks for one page after the other, until there is none.
 *
 * @param ask - called without a cursor first.
 * @param endOf - where a page ends. Cursors that are sealed anew each time do not tell that a page ends where another did.
 * @throws {ClientFailure} when a page ends where another did: the pages would never end.
 */
export async function* pagesOf<Page extends { readonly nextCursor: string | null }>(
  ask: (at: { readonly cursor?: string }) => Promise<Page>,
  endOf: (page: Page) => string | undefined = () => undefined,
): AsyncGenerator<Page, void, void> {
  const ends = new Set<string>();
  for (let at: { readonly cursor?: string } | undefined = {}; at !== undefined;) {
    const page: Page = await ask(at);
    yield page;
    const { nextCursor: cursor } = page;
    for (const end of cursor === null ? [] : [cursor, endOf(page) ?? []].flat()) {
      if (ends.has(end))
        throw new ClientFailure('the service gave the same page twice, so its list does not end; tell whoever runs it');
      ends.add(end);
    }
    at = cursor === null ? undefined : { cursor };
  }
}
