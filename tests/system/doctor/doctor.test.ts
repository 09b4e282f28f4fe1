import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Settings } from '../../../src/config/read/settings.ts';
import { examine } from '../../../src/doctor/doctor.ts';
import { Storage } from '../../../src/storage/storage.ts';
import { WrittenConfig } from '../../config/written-config.ts';
import { HostileProvider } from '../../support/hostile-provider.ts';
import { startIdentityProvider, type IdentityProvider } from '../../support/identity-provider.ts';
import { PrivateAuthority, startTlsFront } from '../../support/private-authority.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { startS3rver, type S3Emulator } from '../../support/s3-server.ts';

const SECRET = 'a-session-secret-of-enough-bytes-for-tests';
const ORIGIN = 'http://127.0.0.1:18080';

let idp: IdentityProvider;
let s3: S3Emulator;
let redis: RedisServer;
let written: WrittenConfig;
beforeAll(async () => {
  idp = await startIdentityProvider({
    accounts: [],
    clients: [
      {
        client_id: 'svc',
        client_secret: 'idp-client-secret',
        redirect_uris: [`${ORIGIN}/v1/auth/callback`],
        post_logout_redirect_uris: [`${ORIGIN}/`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
  });
  s3 = await startS3rver({ buckets: ['files', 'photos'] });
  redis = await RedisServer.start();
});
afterAll(async () => {
  await redis.stop();
  await s3.close();
  await idp.close();
});
beforeEach(() => {
  written = new WrittenConfig();
});
afterEach(() => written.remove());

type Changes = {
  readonly oidc?: object;
  readonly storage?: object;
  readonly session?: object;
  readonly state?: object;
};

function settingsWith({ oidc, storage, session, state }: Changes = {}): Settings {
  const { settings, faults } = written.load(
    {
      auth: {
        enabled: true,
        public_origin: ORIGIN,
        oidc: { issuer: idp.issuer, client_id: 'svc', client_secret: 'idp-client-secret', ...oidc },
        session: { type: 'redis', url: redis.url, ...session },
      },
      state: { path: 'state.db', ...state },
      providers: [
        {
          name: 'main',
          endpoint: s3.url,
          credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
          ...storage,
        },
      ],
    },
    { SVC_SESSION_SECRET: SECRET },
  );
  if (settings === undefined) throw new Error(JSON.stringify(faults));
  return settings;
}

async function said(settings: Settings, write: readonly string[] = []): Promise<string[]> {
  const lines: string[] = [];
  await examine(settings, {
    writeTo: write.map((bucket) => ({ provider: 'main', bucket })),
    tell: ({ state, what, text }) => void lines.push(`${state} ${what}: ${text}`),
  });
  return lines;
}

const wrong = async (changes: Changes, write: readonly string[] = []) =>
  (await said(settingsWith(changes), write)).filter((line) => !line.startsWith('ok '));

describe('examine', () => {
  it('finds everything well, and leaves nothing behind in the buckets that it writes to', async () => {
    const lines = await said(settingsWith(), ['files']);
    expect(lines.filter((line) => line.startsWith('failed'))).toEqual([]);
    expect(lines).toEqual(
      expect.arrayContaining([
        `ok identity provider: ${idp.issuer} was found and reports this issuer`,
        'ok identity provider: has 3 keys for signatures',
        'ok identity provider: its clock agrees with the one here',
        'ok identity provider: knows the client `svc` and accepts its secret',
        `ok identity provider: sends people back to ${ORIGIN}/v1/auth/callback`,
        `ok identity provider: sends people to ${ORIGIN}/ after sign-out`,
        `ok state: ${join(written.directory, 'state.db')} will be created at the first start`,
        'ok session store: Redis is writable and delivers messages',
        'ok storage main: `files` can be listed',
        'ok storage main: `photos` can be listed',
        'ok storage main: `files` takes an object and gives it back',
        `ok storage main: a link to ${s3.url} gives the object to whoever has it`,
        'ok storage main: `files` let the service delete its probe',
        expect.stringMatching(
          /^warning storage main: does not honour the conditions of writes, copies, .*with several instances, turn on versioning of the buckets$/,
        ),
      ]),
    );
    expect((await said(settingsWith(), ['files'])).join('\n')).not.toContain('photos` takes');
    const storage = new Storage(settingsWith().providers);
    const { body: keys } = await storage.providers
      .provider('main')
      .s3.send({ method: 'GET', bucket: 'files', query: { 'list-type': '2' } });
    expect(keys.toString()).toMatch(/<KeyCount>0<|<ListBucketResult(?!.*<Key>)/s);
    storage.close();
  });

  it('reads no more of a link than its probe has, of whoever answers without end', async () => {
    let sent = 0;
    const endless = createServer((_req, res) => {
      const more = (): void => {
        while (!res.destroyed && res.write(Buffer.alloc(65_536))) sent += 65_536;
        if (!res.destroyed) res.once('drain', more);
      };
      more();
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const address = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const lines = await said(settingsWith({ storage: { public_endpoint: address } }), ['files']);
    endless.closeAllConnections();
    endless.close();
    expect(lines).toContain(
      `failed storage main: a link to ${address} is answered with status 200; check \`public_endpoint\``,
    );
    expect(sent).toBeLessThan(50_000_000);
  });

  it.each<[string, () => Changes, RegExp]>([
    [
      'an issuer that differs',
      () => ({ oidc: { issuer: `${idp.issuer}/` } }),
      /identity provider: .*calls itself `.*additional `.*` at its end.*set `auth\.oidc\.issuer`/,
    ],
    [
      'an issuer that is nobody',
      () => ({ oidc: { issuer: 'http://127.0.0.1:1' } }),
      /identity provider: http:\/\/127\.0\.0\.1:1\/.* cannot be reached \(ECONNREFUSED\)/,
    ],
    [
      'a wrong secret',
      () => ({ oidc: { client_secret: 'another' } }),
      /does not know the client `svc` with this secret and `client_auth: basic` \(`invalid_client`\); check/,
    ],
    [
      'a redirect URI that is not registered',
      () => ({ oidc: { redirect_uri: `${ORIGIN}/api/auth/callback` } }),
      /refuses to send people back to .*\/api\/auth\/callback \(status 400\); register exactly this redirect URI/,
    ],
    [
      'a post-logout redirect URI that is not registered',
      () => ({ oidc: { post_logout_redirect_uri: `${ORIGIN}/bye` } }),
      /failed identity provider: refuses to send people to .*\/bye after sign-out \(status 400\); register exactly this post-logout redirect URI/,
    ],
    [
      'an issuer whose host does not resolve',
      () => ({ oidc: { issuer: 'https://nobody.invalid' } }),
      /identity provider: https:\/\/nobody\.invalid\/.* cannot be reached: its host name does not resolve \(E\w+\); check `auth\.oidc\.issuer`/,
    ],
    [
      'a scope that the provider does not list',
      () => ({ oidc: { scopes: ['groups-of-mars'] } }),
      /does not list the scopes `groups-of-mars`/,
    ],
    [
      'a groups claim that the provider does not list',
      () => ({ oidc: { groups_claim: 'no.such' } }),
      /does not list the claim `no`/,
    ],
    [
      'a groups claim with a dot in its name that the provider does not list',
      () => ({ oidc: { groups_claim: 'no\\.such' } }),
      /does not list the claim `no\.such`/,
    ],
    [
      'a Redis that is not there',
      () => ({ session: { url: 'redis://:secret@127.0.0.1:1' } }),
      /failed session store: (?!.*secret).*127\.0\.0\.1:1/,
    ],
    [
      'a folder that is not there',
      () => ({ state: { path: 'no/such/folder/state.db' } }),
      /failed state: state\.path: `.*no\/such\/folder\/state\.db` does not exist and cannot be created/,
    ],
    [
      'a state that is no database',
      () => ({ state: { path: 'svc.config.yaml' } }),
      /failed state: .*svc\.config\.yaml/,
    ],
    [
      'storage that is not there',
      () => ({ storage: { endpoint: 'http://127.0.0.1:1' } }),
      /failed storage main: .*refuses the connection; check that it runs, and `endpoint`/,
    ],
    [
      'a wrong access key',
      () => ({ storage: { credentials: { access_key_id: 'nobody', secret_access_key: 'x' } } }),
      /failed storage main: .*does not know the access key; check `credentials\.access_key_id`/,
    ],
    ['a bucket that is not there', () => ({ storage: { buckets: ['gone'] } }), /failed storage main: .*gone/],
    [
      'a public endpoint that nobody answers at',
      () => ({ storage: { public_endpoint: 'http://127.0.0.1:1' } }),
      /warning storage main: a link to http:\/\/127\.0\.0\.1:1 gets no answer from here \(ECONNREFUSED\); check `public_endpoint`/,
    ],
  ])('names %s, and says what to do', async (_what, changes, line) => {
    expect(await wrong(changes(), ['files'])).toEqual(expect.arrayContaining([expect.stringMatching(line)]));
  });

  it('says that storage takes a key with dots for another, where the configuration relies on it not to', async () => {
    expect(await wrong({ storage: { dot_segments: 'keep' } }, ['files'])).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/storage main: takes the key `a\/\.\.\/b` for another one.*set `dot_segments: refuse`/),
      ]),
    );
  });

  it('says how to authenticate where the provider offers only another way', async () => {
    const provider = createServer((req, res) => {
      const url = `http://${req.headers.host}`;
      res.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/keys`,
          token_endpoint_auth_methods_supported: ['client_secret_post'],
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    try {
      const line =
        'warning identity provider: the provider does not list `client_secret_basic`, with which this service authenticates, so sign-in may fail; set `auth.oidc.client_auth: post`';
      expect(
        await said(settingsWith({ oidc: { issuer: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` } })),
      ).toContain(line);
    } finally {
      provider.close();
    }
  });

  it.each([null, 5, '/end', 'http://idp.example/end', 'javascript:alert(1)'])(
    'says that people are not signed out at a provider whose address for it is %j, as happens when they sign out',
    async (end_session_endpoint) => {
      const provider = await HostileProvider.start();
      provider.behave({ metadata: (metadata) => ({ ...metadata, end_session_endpoint }) });
      try {
        expect((await said(settingsWith({ oidc: { issuer: provider.issuer } }))).join('\n')).toMatch(
          /^warning identity provider: cannot end its own session when people sign out here/m,
        );
      } finally {
        await provider.close();
      }
    },
  );

  it.each([
    ['sends them back', 'invalid_request'],
    ['shows a page', 'status 400'],
  ])(
    'says what to set where the provider refuses to make people authenticate again and %s',
    async (_what, refusedWith) => {
      const { issuer, close } = await startRefusing((question) => {
        const error = question.has('max_age') ? 'invalid_request' : 'login_required';
        if (error === refusedWith || question.get('prompt') === 'none') return error;
        return question.has('max_age') ? 400 : 200;
      });
      try {
        const refusal = new RegExp(
          `^failed identity provider: refuses the sign-in of .*\`svc login\` \\(\`${refusedWith}\`\\).*\`auth\\.oidc\\.desktop_prompt: select_account\`$`,
        );
        expect(await said(settingsWith({ oidc: { issuer } }))).toEqual(
          expect.arrayContaining([expect.stringMatching(refusal)]),
        );
        expect(await said(settingsWith({ oidc: { issuer, desktop_prompt: 'none' } }))).not.toEqual(
          expect.arrayContaining([expect.stringMatching(refusal)]),
        );
      } finally {
        close();
      }
    },
  );

  it('says to choose another prompt where the provider refuses the one that is set', async () => {
    const { issuer, close } = await startRefusing((question) =>
      question.get('prompt') === 'consent' ? 'invalid_request' : 200,
    );
    try {
      const refused = async (desktop_prompt: string) =>
        (await said(settingsWith({ oidc: { issuer, desktop_prompt } }))).filter((line) => line.includes('svc login'));
      expect(await refused('consent')).toEqual([
        'failed identity provider: refuses the sign-in of the desktop application and of `svc login` (`invalid_request`); set another `auth.oidc.desktop_prompt`, such as `none`',
      ]);
      expect(await refused('select_account')).toEqual([]);
    } finally {
      close();
    }
  });

  it.each([
    ['invalid_scope', /refuses the scopes of `auth\.oidc\.scopes`/],
    ['unauthorized_client', /refuses every sign-in \(`unauthorized_client`\)/],
  ])('blames no prompt where the provider refuses every sign-in with %s', async (error, refusal) => {
    const { issuer, close } = await startRefusing(() => error);
    try {
      const failed = (await said(settingsWith({ oidc: { issuer } }))).filter((line) =>
        /^failed identity provider: .*(?:sign-in|scopes)/.test(line),
      );
      expect(failed).toEqual([expect.stringMatching(refusal)]);
    } finally {
      close();
    }
  });

  it('repeats no secret of a provider that says everything back, and goes on when its lists are none', async () => {
    const provider = createServer((req, res) => {
      const { authorization = '' } = req.headers;
      const url = `http://${req.headers.host}`;
      const metadata = {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        claims_supported: 5,
        scopes_supported: 'openid',
      };
      const answers: Record<string, unknown> = {
        '/keys': { keys: [null, 5, { kty: '__proto__' }, { kty: 'RSA' }] },
        '/token': { error: Buffer.from(authorization.slice(6), 'base64').toString() },
      };
      const back = new URL(req.url!, url).searchParams.get('redirect_uri');
      if (back !== null) res.writeHead(302, { location: `${back}?error=idp-client-secret` }).end();
      else
        res
          .writeHead(req.url === '/token' ? 400 : 200, { 'content-type': 'application/json' })
          .end(JSON.stringify(answers[req.url!] ?? metadata));
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    try {
      const lines = (
        await said(settingsWith({ oidc: { issuer: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` } }))
      ).filter((line) => line.includes('identity provider'));
      expect(lines.filter((line) => /idp-client-secret|TypeError/.test(line))).toEqual([]);
      expect(lines).toEqual(
        expect.arrayContaining([
          'ok identity provider: has 1 key for signatures',
          expect.stringContaining('answers an invalid code with `status 400`'),
          expect.stringContaining('refuses every sign-in (`status 302`)'),
        ]),
      );
    } finally {
      provider.close();
    }
  });

  it('sends the client secret to no address without TLS, although the provider names one', async () => {
    const secrets: string[] = [];
    const provider = createServer((req, res) => {
      const [issuer, plain] = [
        `https://127.0.0.1:${front.port}`,
        `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
      ];
      if (`http://${req.headers.host}` === plain) secrets.push(req.headers.authorization ?? '');
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${plain}/token`,
        jwks_uri: `${issuer}/keys`,
      };
      res
        .writeHead(req.url === '/token' ? 400 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(req.url === '/token' ? { error: 'invalid_grant' } : metadata));
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    const authority = new PrivateAuthority();
    const front = await startTlsFront(
      `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
      authority.issue(),
    );
    try {
      const lines = await said(
        settingsWith({ oidc: { issuer: `https://127.0.0.1:${front.port}`, tls: { ca_file: authority.file } } }),
      );
      expect(lines).toContain(
        "failed identity provider: the provider's discovery document has no usable `token_endpoint`",
      );
      expect(secrets).toEqual([]);
    } finally {
      await front.close();
      authority.remove();
      provider.close();
    }
  });
});

/** A provider that answers the question for a sign-in with an error, or with a page of this status. */
async function startRefusing(answer: (question: URLSearchParams) => string | number) {
  const provider = createServer((req, res) => {
    const { origin, pathname, searchParams } = new URL(req.url!, `http://${req.headers.host}`);
    if (pathname === '/authorize') {
      const told = answer(searchParams);
      if (typeof told === 'number') res.writeHead(told).end();
      else res.writeHead(302, { location: `${searchParams.get('redirect_uri')}?error=${told}` }).end();
      return;
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/keys`,
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  return {
    issuer: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
    close: () => provider.close(),
  };
}
