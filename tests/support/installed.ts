import { ACCOUNTS, CONFIG } from './app.ts';
import { allOrNone } from './all-or-none.ts';
import { freePort } from './free-port.ts';
import { startIdentityProvider } from './identity-provider.ts';
import { startS3rver } from './s3-server.ts';
import { signInAt, Visitor } from './visitor.ts';

/** A picture of one pixel. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64');

/** What an installed service stands on, and the configuration that names it. */
export type Surroundings = {
  readonly origin: string;
  readonly port: number;
  readonly config: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
};

/** @param given - the port of the service; any that is free when it is left out. @param clientSecret - how the configuration says it. */
export function startSurroundings({
  port: given,
  clientSecret = 'idp-client-secret',
}: { readonly port?: number; readonly clientSecret?: string } = {}): Promise<Surroundings> {
  return allOrNone(async (parts) => {
    const port = given ?? (await freePort());
    const origin = `http://127.0.0.1:${port}`;
    const idp = await startIdentityProvider({
      accounts: ACCOUNTS,
      clients: [
        {
          client_id: 'svc',
          client_secret: 'idp-client-secret',
          redirect_uris: ['', '/storage'].map((path) => `${origin}${path}/v1/auth/callback`),
          post_logout_redirect_uris: ['/', '/storage/'].map((path) => origin + path),
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
    });
    parts.defer(() => idp.close());
    const s3 = await startS3rver({ buckets: ['files'] });
    parts.defer(() => s3.close());
    const config = {
      ...CONFIG,
      server: { port },
      auth: {
        enabled: true,
        public_origin: origin,
        oidc: { issuer: idp.issuer, client_id: 'svc', client_secret: clientSecret },
      },
      state: { path: 'state.db' },
      providers: [
        {
          name: 'main',
          type: 's3',
          endpoint: s3.url,
          path_style: true,
          credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
        },
      ],
    };
    return { origin, port, config };
  });
}

/** What anybody does first: signs in, loads the page with its parts, opens the API reference, stores a file and a picture and reads them. @param home - the address that people open, without a slash at its end. @throws when something does not work. */
export async function signInAndUse(home: string): Promise<Visitor> {
  const { origin } = new URL(home);
  const visitor = new Visitor();
  const login = await visitor.request(`${home}/api/auth/login`);
  await visitor.request(await signInAt(login.headers.get('location')!, { account: 'ada', visitor }));
  const page = await (await visitor.request(`${home}/`)).text();
  const parts = [...page.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, path]) => new URL(path!, `${home}/`).href)
    .filter((url) => url.includes('/assets/'));
  if (parts.length < 2) throw new Error(`the page names no parts: ${page}`);
  for (const url of [...parts, `${home}/api/docs/swagger-ui-bundle.js`]) await ok(visitor, url);
  const objects = `${home}/api/providers/main/buckets/files/object`;
  await ok(visitor, `${objects}?key=a.txt`, { method: 'PUT', body: 'installed', headers: { origin } });
  const content = await ok(visitor, `${objects}?key=a.txt`);
  if (content !== 'installed') throw new Error(`the file holds \`${content}\``);
  await ok(visitor, `${objects}?key=dot.gif`, { method: 'PUT', body: DOT, headers: { origin } });
  await ok(visitor, `${objects}/thumbnail?key=dot.gif`);
  return visitor;
}

async function ok(visitor: Visitor, url: string, init?: RequestInit): Promise<string> {
  const answer = await visitor.request(url, init);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return text;
}
