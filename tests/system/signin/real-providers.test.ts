import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Findings } from '../../../src/doctor/finding.ts';
import { examineIdentityProvider } from '../../../src/doctor/identity-provider.ts';
import type { CompletedLogin } from '../../../src/signin/complete.ts';
import type { SignInOptions } from '../../../src/signin/options.ts';
import { WrittenConfig } from '../../config/written-config.ts';
import { missingForGlewlwyd, startGlewlwyd } from '../../support/glewlwyd.ts';
import { missingForLemonldap, startLemonldap } from '../../support/lemonldap.ts';
import type { RealProvider } from '../../support/real-provider.ts';
import { Visitor } from '../../support/visitor.ts';
import { queryOf, REDIRECT_URI, signInWith } from '../../signin/sign-in-with.ts';

const MAKES = [
  { name: 'Glewlwyd', missing: missingForGlewlwyd, start: startGlewlwyd },
  { name: 'LemonLDAP::NG', missing: missingForLemonldap, start: startLemonldap },
];

for (const { name, missing, start } of MAKES) {
  if (missing.length > 0) {
    describe(name, () => {
      it.skip(`is not tried: this machine has no ${missing.join(' and no ')}`, () => undefined);
    });
    continue;
  }
  describe(`SignIn with ${name}`, () => {
    let provider: RealProvider;
    beforeAll(async () => {
      provider = await start([REDIRECT_URI]);
    });
    afterAll(() => provider.close());

    async function signInAs(options: Partial<SignInOptions>): Promise<CompletedLogin> {
      const { signIn } = signInWith({
        issuer: provider.issuer,
        clientSecret: provider.clientSecret,
        scopes: provider.scopes,
        ...options,
      });
      try {
        const { url, browserSecret } = await signIn.begin({});
        return await signIn.complete({ query: queryOf(await provider.visit(url)), browserSecret });
      } finally {
        await signIn.close();
      }
    }

    it.each(['basic', 'post'] as const)(
      'signs a person in with `client_auth: %s` and a secret of every kind of character',
      async (clientAuth) => {
        const { subject, groups } = provider.person;
        const { outcome, ...done } = await signInAs({ clientAuth });
        expect(outcome).toBe('web');
        expect(done).toMatchObject({ person: { identity: { issuer: provider.issuer } } });
        const { identity } = (done as Extract<CompletedLogin, { outcome: 'web' }>).person;
        expect([...identity.groups].sort()).toEqual(groups);
        expect(identity.subject).not.toBe('');
        expect(subject).not.toBe('');
      },
    );

    it('says that the provider refused the client when the secret is wrong', async () => {
      await expect(signInAs({ clientSecret: 'another secret' })).rejects.toMatchObject({
        code: 'identity_provider_unavailable',
        detail: expect.stringMatching(/does not accept this service.*`client_secret`.*`client_auth: post`/),
      });
    });
  });
}

(missingForGlewlwyd.length > 0 ? describe.skip : describe)(
  'a desktop login with Glewlwyd, which does not know `max_age=0`',
  () => {
    it('says what to set, is found by the doctor, and works with what was set', async () => {
      const provider = await startGlewlwyd([REDIRECT_URI]);
      const { issuer, clientSecret, scopes } = provider;
      const desktop = { redirectUri: 'http://127.0.0.1:4711/callback', state: 'state', codeChallenge: 'c'.repeat(43) };
      async function signInWithPrompt(desktopPrompt: SignInOptions['desktopPrompt']): Promise<CompletedLogin> {
        const { signIn } = signInWith({ issuer, clientSecret, scopes, desktopPrompt });
        try {
          const { url, browserSecret } = await signIn.begin({ desktop });
          return await signIn.complete({ query: queryOf(await provider.visit(url)), browserSecret });
        } finally {
          await signIn.close();
        }
      }
      const written = new WrittenConfig();
      try {
        const failed = (await signInWithPrompt('login')) as Extract<CompletedLogin, { outcome: 'desktop-failed' }>;
        expect(failed.outcome).toBe('desktop-failed');
        expect(new URL(failed.redirectTo).searchParams.get('error_description')).toMatch(
          /invalid_request.*max_age invalid.*`auth\.oidc\.desktop_prompt: select_account`/,
        );
        expect(await signInWithPrompt('select_account')).toMatchObject({ outcome: 'desktop' });
        const oidc = { issuer, client_id: 'svc', client_secret: clientSecret, redirect_uri: REDIRECT_URI, scopes };
        const { settings } = written.load(
          { auth: { enabled: true, public_origin: new URL(REDIRECT_URI).origin, oidc }, providers: [] },
          { SVC_SESSION_SECRET: 's'.repeat(32) },
        );
        const told: string[] = [];
        await examineIdentityProvider(
          settings!.auth.oidc!,
          settings!,
          new Findings('identity provider', ({ state, text }) => void told.push(`${state} ${text}`)),
        );
        expect(told).toEqual(
          expect.arrayContaining([
            expect.stringMatching(
              /^warning does not list the claim `auth_time`.*`auth\.oidc\.desktop_prompt: select_account`$/,
            ),
          ]),
        );
      } finally {
        written.remove();
        await provider.close();
      }
    });
  },
);

(missingForGlewlwyd.length > 0 ? describe.skip : describe)('SignIn.readLogout with Glewlwyd', () => {
  it('reads which session ended, out of what it sends when the session there ends', async () => {
    const sent = Promise.withResolvers<string>();
    const listener = createServer(
      (req, res) =>
        void text(req)
          .then((body) => sent.resolve(body))
          .finally(() => res.end()),
    );
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const provider = await startGlewlwyd(
      [REDIRECT_URI],
      [],
      `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`,
    );
    const { issuer, clientSecret, scopes, person } = provider;
    const { signIn } = signInWith({ issuer, clientSecret, scopes });
    try {
      const { url, browserSecret } = await signIn.begin({});
      const { origin } = new URL(issuer);
      const visitor = new Visitor();
      await visitor.request(url);
      await visitor.request(`${origin}/api/auth/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: person.username, password: person.password }),
      });
      const callback = (await visitor.request(`${url}&g_continue`)).headers.get('location')!;
      const done = (await signIn.complete({ query: queryOf(callback), browserSecret })) as Extract<
        CompletedLogin,
        { outcome: 'web' }
      >;
      const sid = done.person.login!.sid!;
      expect((await visitor.request(`${issuer}/session/${sid}`, { method: 'DELETE' })).status).toBe(200);
      const token = new URLSearchParams(await sent.promise).get('logout_token')!;
      expect(await signIn.readLogout(token)).toMatchObject({ login: { issuer, sid } });
    } finally {
      listener.close();
      listener.closeAllConnections();
      await Promise.all([signIn.close(), provider.close()]);
    }
  });
});
