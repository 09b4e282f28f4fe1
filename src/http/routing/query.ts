import { SvcError } from '../../errors/svc-error.ts';

/**
 * Parses a query string strictly, so that an object key arrives byte for byte or not at all.
 *
 * `+` is a space, as browsers send it. A repeated name and text that is not UTF-8 are refused. Usual parsers take the last value, make an array, or insert
 * U+FFFD, and policy and storage would then see another key than the client meant.
 *
 * @throws {SvcError} `invalid_request`
 */
export function parseQuery(text: string | null | undefined): Record<string, string> {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  if (text === undefined || text === null || text === '') return query;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at === -1 ? pair : pair.slice(0, at));
    const value = at === -1 ? '' : decode(pair.slice(at + 1));
    if (name in query)
      throw new SvcError('invalid_request', {
        detail: `\`${name}\` is given twice`,
        members: { errors: [{ path: name, message: 'is given twice' }] },
      });
    query[name] = value;
  }
  return query;
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new SvcError('invalid_request', { detail: 'the query is not percent-encoded UTF-8' });
  }
}
