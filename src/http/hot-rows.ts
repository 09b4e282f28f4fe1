import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AppParts } from './app.ts';
import { Call, headersOfEvery } from './routing/call.ts';
import { sendProblem } from './routing/problem.ts';
import type { Route } from './routing/route.ts';

type Params = Readonly<Record<string, string>>;
type HotRow = {
  readonly method: string;
  readonly segments: readonly string[];
  readonly serve: NonNullable<Route['hot']>;
  readonly observe: ((req: IncomingMessage, res: ServerResponse) => void) | undefined;
};

/** Any other target, such as one with a `#` or an absolute one, goes to Express, which knows what it means. */
const PLAIN_TARGET = /^\/[!$-~]*$/;

/**
 * Finds the rows that move bytes and list objects before Express is asked, which costs as much as everything that these rows do. Their checks and answers are
 * the same in both ways.
 *
 * @param otherwise - answers every other request.
 */
export function hotRows(
  otherwise: RequestListener,
  { rows, ownOrigin, addressOf, place: { basePath }, metrics, log }: AppParts,
): RequestListener {
  const table = rows.flatMap((row): HotRow[] => {
    if (row.hot === undefined) return [];
    const hot = { segments: row.path.split('/'), serve: row.hot, observe: metrics?.observe(row.path) };
    const methods = row.method === 'get' ? ['GET', 'HEAD'] : [row.method.toUpperCase()];
    return methods.map((method) => ({ ...hot, method }));
  });
  const find = (method: string, path: string): { readonly row: HotRow; readonly params: Params } | undefined => {
    const segments = path.split('/');
    for (const row of table) {
      const params = row.method === method ? paramsIn(row.segments, segments) : undefined;
      if (params !== undefined) return { row, params };
    }
    return undefined;
  };
  return (req, res) => {
    const { url = '', method = '' } = req;
    const target = url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : url;
    const found = PLAIN_TARGET.test(target) ? find(method, target.split('?', 1)[0]!) : undefined;
    if (found === undefined) {
      otherwise(req, res);
      return;
    }
    req.url = target;
    const requestId = randomUUID();
    const { row, params } = found;
    const call = new Call({ req, res, params, requestId, address: addressOf(req), headers: headersOfEvery(requestId) });
    const fail = (error: unknown): void => sendProblem(call, error, log);
    try {
      ownOrigin.admit(req.headers);
      row.observe?.(req, res);
      row.serve(call).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

/** The decoded parameters; undefined when the path is another one, or cannot be decoded. */
function paramsIn(pattern: readonly string[], segments: readonly string[]): Params | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  // Paths of the same length differ most at their end.
  for (let at = pattern.length - 1; at >= 0; at -= 1) {
    const [expected, segment] = [pattern[at]!, segments[at]!];
    if (!expected.startsWith(':')) {
      if (segment !== expected) return undefined;
      continue;
    }
    if (segment === '') return undefined;
    try {
      params[expected.slice(1)] = segment.includes('%') ? decodeURIComponent(segment) : segment;
    } catch {
      return undefined;
    }
  }
  return params;
}
