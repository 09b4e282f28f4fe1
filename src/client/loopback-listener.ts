import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClientFailure } from './client-failure.ts';
import { areEqual } from '../secret/secret.ts';

/** Words for the messages of a sign-in. */
export type SignInWords = {
  /** Where the person continues: `the terminal`. */
  readonly place: string;
  /** How to start again: ``run `svc login` to try again``. */
  readonly again: string;
};

/**
 * Waits on a loopback port for the browser to bring the authorization code.
 *
 * Requests without our state come from somebody else: they are refused, and the wait continues.
 *
 * @see RFC 8252 section 7.3
 */
export class LoopbackListener {
  readonly redirectUri: string;
  readonly code: Promise<string>;
  readonly #server: Server;

  private constructor(server: Server, code: Promise<string>) {
    this.#server = server;
    this.code = code;
    this.redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  }

  /** @param state - random; the browser has to return it. */
  static async open(state: string, { place, again }: SignInWords): Promise<LoopbackListener> {
    const server = createServer();
    const code = new Promise<string>((resolve, reject) => {
      server.on('request', (req, res) => {
        const query = readCallback(req.method, req.url);
        if (query === undefined) {
          answer(res, 404, 'Not found', 'There is nothing here.');
          return;
        }
        if (!areEqual(query.get('state') ?? '', state)) {
          answer(
            res,
            400,
            'Not our sign-in',
            'This answer does not belong to the sign-in that is under way. You can close this window.',
          );
          return;
        }
        const received = query.get('code');
        if (received !== null) {
          answer(res, 200, 'Signed in', `You can close this window and go back to ${place}.`);
          resolve(received);
          return;
        }
        answer(res, 200, 'Not signed in', `The reason is shown in ${place}. You can close this window.`);
        reject(refusal(query.get('error') ?? 'no code', query.get('error_description') ?? '', again));
      });
    });
    // It is awaited later; until then a rejection must not count as unhandled.
    code.catch(() => undefined);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new LoopbackListener(server, code);
  }

  close(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }
}

function readCallback(method: string | undefined, target = ''): URLSearchParams | undefined {
  const [path, query = ''] = target.split('?', 2);
  return method === 'GET' && path === '/callback' ? new URLSearchParams(query) : undefined;
}

function refusal(error: string, description: string, again: string): ClientFailure {
  return new ClientFailure(
    `the sign-in was not completed: ${description || error}; ${again}`,
    error === 'access_denied' ? 'login_refused' : 'login_failed',
  );
}

function answer(res: ServerResponse, status: number, title: string, text: string): void {
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  res.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>body{font:1rem system-ui;margin:15vh auto;max-width:32rem;padding:0 1rem;color-scheme:light dark}</style><h1>${title}</h1><p>${text}</p></html>`,
  );
}
