import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../client/connection.ts';
import type { WindowPlace } from './bridge.ts';
import { problem, relay } from './relay.ts';
import type { UiFiles } from './ui-files.ts';

/** Of a decoded path: the service, or a proxy in front of it, may read another one than is read here. */
const IS_AMBIGUOUS = /\\|\/\/|(?:^|\/)\.{1,2}(?:\/|$)/;

/** Also of a decoded path: where a path would end, have parameters, or be decoded once more, by a proxy on the way. No provider, bucket, upload or ticket has these in its name. */
const HAS_MARKS = /[;?#%]/;

/** What answers the requests that a window's page makes. */
export type PageRequestParts = {
  readonly ui: UiFiles;
  readonly place: WindowPlace;
  readonly connection: Connection;
  /** A screen of the application, or a button of one. */
  readonly screen: (action: string) => Promise<void>;
  /** @param returnTo - where the page wants to be afterwards. */
  readonly signIn: (returnTo: string) => Promise<void>;
  readonly signOut: () => Promise<void>;
};

/** Answers a request that the bridge let in. @param path - below the window's own path, without the query. */
export async function answerPage(req: IncomingMessage, res: ServerResponse, path: string, { ui, place, connection, screen, signIn, signOut }: PageRequestParts): Promise<void> {
  const { method = 'GET', headers } = req;
  const query = (req.url ?? '').split('?')[1];
  const isOfService = /^(?:api|v1)\/|^rpc$/.test(path);
  const meant = decoded(path);
  if (path.startsWith('desktop/')) await screen(path.slice('desktop/'.length));
  else if (path === 'api/auth/login' && method === 'GET') await signIn(new URLSearchParams(query).get('return_to') ?? '');
  else if (path === 'v1/auth/logout' && method === 'POST') await signOut();
  else if (IS_AMBIGUOUS.test(meant) || (isOfService && HAS_MARKS.test(meant))) problem(res, 404, 'not_found', 'there is nothing here');
  else if (/^(?:api|v1)\/auth\/(?!me$|session$)/i.test(meant)) problem(res, 404, 'not_found', 'the application does this itself');
  else if (isOfService) await relay(req, res, connection, query === undefined ? path : `${path}?${query}`);
  else if (method !== 'GET' && method !== 'HEAD') problem(res, 405, 'method_not_allowed', 'there is nothing here to change');
  else if (!ui.isBuilt) problem(res, 500, 'internal', 'the web UI is not built; run `npm run build:web`');
  else if (ui.sendFile(res, path)) return;
  else if (headers.accept?.includes('text/html') === true) ui.sendPage(res, place);
  else problem(res, 404, 'not_found', 'there is nothing here');
}

/** What is no encoding leads nowhere. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '..';
  }
}
