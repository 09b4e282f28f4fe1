import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signInWith } from '../../signin/sign-in-with.ts';
import { HostileProvider } from '../../support/hostile-provider.ts';
import { PrivateAuthority, startTlsFront } from '../../support/private-authority.ts';
import { missingPrograms } from '../../support/programs.ts';

const missing = missingPrograms('openssl');
const unless = missing.length > 0 ? `: ${missing.join()} is missing` : '';

let provider: HostileProvider;
beforeAll(async () => {
  provider = await HostileProvider.start();
});
afterAll(() => provider.close());

describe('SignIn.endSessionUrl', () => {
  (missing.length > 0 ? it.skip : it)(
    `gives an URL on loopback where the provider itself has HTTPS${unless}`,
    async () => {
      const authority = new PrivateAuthority();
      const front = await startTlsFront(provider.issuer, authority.issue());
      const issuer = `https://127.0.0.1:${front.port}`;
      provider.behave({
        metadata: ({ end_session_endpoint, ...metadata }) => ({
          ...(JSON.parse(JSON.stringify(metadata).replaceAll(provider.issuer, issuer)) as object),
          end_session_endpoint,
        }),
      });
      try {
        const { signIn } = signInWith({ issuer, ca: [authority.certificate] });
        expect(await signIn.endSessionUrl('id-token')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/end\?/);
        await signIn.close();
      } finally {
        await front.close();
        authority.remove();
      }
    },
  );
});
