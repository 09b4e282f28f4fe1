import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../client/connection.ts';
import type { WindowPlace } from './bridge.ts';
import { problem, relay } from './relay.ts';
import type { UiFiles } from './ui-files.ts';

/** Matches a decoded path that the service, or a proxy in front of it, may interpret differently than this process. */
const IS_AMBIGUOUS = /\\|\/\/|(?:^|\/)\.{1,2}(?:\/|$)/;

/**
 * Matches a decoded path with characters at which a proxy could end the path, find parameters, or decode once more. No provider, bucket, upload or ticket has
 * them in its name.
 */
const HAS_MARKS = /[;?#%]/;

/** The parts that answer the requests of a window's page. */
export type PageRequestParts = {
  readonly ui: UiFiles;
  readonly place: WindowPlace;
  readonly connection: Connection;
  /** Answers a request for a screen of the application, or for one of its buttons. */
  readonly screen: (action: string) => Promise<void>;
  /** @param returnTo - where the page wants to be afterwards. */
  readonly signIn: (returnTo: string) => Promise<void>;
  readonly signOut: () => Promise<void>;
};

/**
 * Answers a request that the bridge admitted.
 *
 * @param path - below the window's own path, without the query.
 */
export async function answerPage(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  { ui, place, connection, screen, signIn, signOut }: PageRequestParts,
): Promise<void> {
  const { method = 'GET', headers } = req;
  const query = (req.url ?? '').split('?')[1];
  const isOfService = /^(?:api|v1)\/|^rpc$/.test(path);
  const meant = decoded(path);
  if (path.startsWith('desktop/')) await screen(path.slice('desktop/'.length));
  else if (path === 'api/auth/login' && method === 'GET')
    await signIn(new URLSearchParams(query).get('return_to') ?? '');
  else if (path === 'v1/auth/logout' && method === 'POST') await signOut();
  else if (path === 'api/auth/logout' && method === 'GET') res.writeHead(303, { Location: '../../signed-out' }).end();
  else if (IS_AMBIGUOUS.test(meant) || (isOfService && HAS_MARKS.test(meant)))
    problem(res, 404, 'not_found', 'there is nothing here');
  else if (/^(?:api|v1)\/auth\/(?!me$|session$)/i.test(meant))
    problem(res, 404, 'not_found', 'the desktop application handles sign-in itself');
  else if (isOfService) await relay(req, res, connection, query === undefined ? path : `${path}?${query}`);
  else if (method !== 'GET' && method !== 'HEAD')
    problem(res, 405, 'method_not_allowed', 'there is nothing here to change');
  else if (!ui.isBuilt) problem(res, 500, 'internal', 'the web UI is not built; run `npm run build:web`');
  else if (ui.sendFile(res, path)) return;
  else if (headers.accept?.includes('text/html') === true) ui.sendPage(res, place);
  else problem(res, 404, 'not_found', 'there is nothing here');
}

/** Decodes a path. An invalid encoding gives `..`, which is refused. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '..';
  }
}
