import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CompletedLogin } from '../../src/signin/complete.ts';
import type { SignInOptions } from '../../src/signin/options.ts';
import { missingForGlewlwyd, startGlewlwyd } from '../support/glewlwyd.ts';
import { missingForLemonldap, startLemonldap } from '../support/lemonldap.ts';
import type { RealProvider } from '../support/real-provider.ts';
import { queryOf, REDIRECT_URI, signInWith } from './sign-in-with.ts';

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
      const { signIn } = signInWith({ issuer: provider.issuer, clientSecret: provider.clientSecret, scopes: provider.scopes, ...options });
      try {
        const { url, browserSecret } = await signIn.begin({});
        return await signIn.complete({ query: queryOf(await provider.visit(url)), browserSecret });
      } finally {
        await signIn.close();
      }
    }

    it.each(['basic', 'post'] as const)('signs a person in with `client_auth: %s` and a secret of every kind of character', async (clientAuth) => {
      const { subject, groups } = provider.person;
      const { outcome, ...done } = await signInAs({ clientAuth });
      expect(outcome).toBe('web');
      expect(done).toMatchObject({ person: { identity: { issuer: provider.issuer } } });
      const { identity } = (done as Extract<CompletedLogin, { outcome: 'web' }>).person;
      expect([...identity.groups].sort()).toEqual(groups);
      expect(identity.subject).not.toBe('');
      expect(subject).not.toBe('');
    });

    it('says that the provider refused the client when the secret is wrong', async () => {
      await expect(signInAs({ clientSecret: 'another secret' })).rejects.toMatchObject({
        code: 'identity_provider_unavailable',
        detail: expect.stringMatching(/does not accept this service.*`client_secret`.*`client_auth: post`/),
      });
    });
  });
}
