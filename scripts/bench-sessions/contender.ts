/** One server of the benchmark, in a process of its own: it tells its port and the cookies of its sessions, then serves until it is ended. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'cookie-signature';
import express from 'express';
import { auth } from 'express-openid-connect';
import session, { MemoryStore } from 'express-session';
import { compose } from '../../src/compose/compose.ts';
import { loadSettings } from '../../src/config/load.ts';
import { ownMessages } from '../../src/http/own-messages.ts';
import { listen as serve } from '../../src/http/server.ts';
import { createLogger } from '../../src/log/logger.ts';
import { freePort } from '../../tests/support/free-port.ts';
import { startIdentityProvider } from '../../tests/support/identity-provider.ts';
import { signInAt, Visitor } from '../../tests/support/visitor.ts';

export type ContenderName = 'bare' | 'express-session' | 'express-openid-connect' | 'memory' | 'database' | 'redis';
export type Ready = { readonly port: number; readonly cookies: readonly string[] };

const SECRET = 'a secret of the benchmark, which is long enough';
const ANSWER = { actions: ['buckets:read', 'objects:read', 'objects:list', 'objects:get', 'objects:write'] };
/** As long as they come. */
const ID_TOKEN = 'x'.repeat(900);
/** Cookies that the requests go round, the same number for each contender; more of them cost the load generator more than any server. */
const COOKIES = 100;

const [name, count = '4096', redisUrl = ''] = process.argv.slice(2);
const sessions = Number(count);

const ready = await start(name as ContenderName);
process.send?.(ready);

async function start(contender: ContenderName): Promise<Ready> {
  if (contender === 'bare')
    return listen(
      answering(plainExpress()),
      Array.from(
        { length: COOKIES },
        (_, i) => `svc_session=${encodeURIComponent(`s:${sign(`nobody-${i}-${'x'.repeat(32)}`, SECRET)}`)}`,
      ),
    );
  if (contender === 'express-session') return plainSessions();
  if (contender === 'express-openid-connect') return cookieSession();
  return ours(contender);
}

/** Without ETags, which svc does not compute for this answer either. */
function plainExpress(): express.Express {
  return express().disable('etag');
}

function answering(app: express.Express): express.Express {
  app.get('/api/providers/:provider/buckets/:bucket/permissions', (_req, res) => void res.json(ANSWER));
  return app;
}

/** express-session with its own MemoryStore, checking that somebody is signed in. Its sessions hold what ours do, the ID Token for signing out included. */
async function plainSessions(): Promise<Ready> {
  const store = new MemoryStore();
  const cookies: string[] = [];
  for (let i = 0; i < sessions; i += 1) {
    const id = `session-${i}-${'x'.repeat(24)}`;
    const held = {
      cookie: { originalMaxAge: 28_800_000, expires: new Date(Date.now() + 28_800_000), httpOnly: true, path: '/' },
      user: {
        issuer: 'https://login.example',
        subject: `user-${i}`,
        groups: ['team', 'viewers'],
        name: 'User',
        idToken: ID_TOKEN,
        address: '127.0.0.1',
      },
    };
    store.set(id, held);
    if (cookies.length < COOKIES) cookies.push(`connect.sid=${encodeURIComponent(`s:${sign(id, SECRET)}`)}`);
  }
  const app = plainExpress();
  app.use(session({ secret: SECRET, store, resave: false, saveUninitialized: false }));
  app.use((req, res, next) => {
    if ('user' in req.session) next();
    else res.sendStatus(401);
  });
  return listen(answering(app), cookies);
}

/** express-openid-connect, whose session is an encrypted cookie; its one session is signed in for real. */
async function cookieSession(): Promise<Ready> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const idp = await startIdentityProvider({
    accounts: [{ sub: 'user', groups: ['team', 'viewers'] }],
    clients: [
      {
        client_id: 'bench',
        client_secret: 'bench-secret',
        redirect_uris: [`${origin}/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
  });
  const app = plainExpress();
  app.use(
    auth({
      issuerBaseURL: idp.issuer,
      baseURL: origin,
      clientID: 'bench',
      clientSecret: 'bench-secret',
      secret: SECRET,
      authRequired: true,
      authorizationParams: { response_type: 'code', scope: 'openid profile' },
    }),
  );
  await listen(answering(app), [], port);
  const visitor = new Visitor();
  const begun = await visitor.request(`${origin}/login`);
  await visitor.request(await signInAt(begun.headers.get('location') ?? '', { account: 'user', visitor }));
  return {
    port,
    cookies: Array.from({ length: COOKIES }, () => `appSession=${visitor.cookie(origin, 'appSession') ?? ''}`),
  };
}

/** The service itself, with sessions as people would have them. */
async function ours(type: 'memory' | 'database' | 'redis'): Promise<Ready> {
  const file = join(await mkdtemp(join(tmpdir(), 'svc-bench-')), 'svc.config.yaml');
  const config = {
    auth: {
      enabled: true,
      public_origin: 'http://127.0.0.1:8080',
      oidc: { issuer: 'http://127.0.0.1:1', client_id: 'bench' },
      session: { type, ...(type === 'redis' ? { url: redisUrl } : { capacity: sessions }) },
    },
    state: { path: 'state.db' },
    providers: [{ name: 'main', type: 's3', endpoint: 'http://127.0.0.1:1' }],
    policies: [
      {
        version: 1,
        name: 'team',
        rules: [
          {
            effect: 'allow',
            actions: ['buckets:read', 'objects:read', 'objects:write'],
            resources: [{ type: 'bucket', provider: 'main', bucket: 'photos' }],
          },
        ],
      },
    ],
    bindings: [{ groups: ['team'], policies: ['team'] }],
  };
  await writeFile(file, JSON.stringify(config));
  const { settings, faults } = loadSettings({ file, env: { SVC_SESSION_SECRET: SECRET } });
  if (settings === undefined) throw new Error(JSON.stringify(faults));
  const messages = ownMessages();
  const service = await compose(settings, {
    messages,
    log: createLogger({ level: 'info', format: 'json', stream: createWriteStream(`${file}.log`) }),
    version: 'bench',
    webDirectory: 'dist/web',
  });
  const cookies: string[] = [];
  for (let made = 0; made < sessions; made += 512) {
    const batch = Array.from({ length: Math.min(512, sessions - made) }, (_, i) =>
      service.sessions.start({
        kind: 'web',
        identity: { issuer: 'https://login.example', subject: `user-${made + i}`, groups: ['team', 'viewers'] },
        name: 'User',
        idToken: ID_TOKEN,
        address: '127.0.0.1',
      }),
    );
    for (const { credential } of await Promise.all(batch))
      if (cookies.length < COOKIES) cookies.push(`svc_session=${encodeURIComponent(`s:${sign(credential, SECRET)}`)}`);
  }
  // On the service's own server, which keeps account of its connections.
  const { port } = await serve(service.app, { host: '127.0.0.1', port: 0, messages });
  return { port, cookies };
}

async function listen(app: RequestListener, cookies: readonly string[], port = 0): Promise<Ready> {
  const server = createServer(app);
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, cookies };
}
