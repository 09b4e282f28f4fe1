import { ClientFailure } from './client-failure.ts';

/**
 * Asks for one page after the other, until there is none.
 *
 * @param ask - called without a cursor first.
 * @throws {ClientFailure} when the service gives a cursor again: its pages would never end.
 */
export async function* pagesOf<Page extends { readonly nextCursor: string | null }>(
  ask: (at: { readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page, void, void> {
  const given = new Set<string>();
  for (let at: { readonly cursor?: string } | undefined = {}; at !== undefined;) {
    const page: Page = await ask(at);
    yield page;
    const { nextCursor: cursor } = page;
    if (cursor !== null && given.has(cursor))
      throw new ClientFailure('the service gave the same cursor twice, so its list does not end; tell whoever runs it');
    if (cursor !== null) given.add(cursor);
    at = cursor === null ? undefined : { cursor };
  }
}
