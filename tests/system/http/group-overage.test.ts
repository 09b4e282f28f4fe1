import { afterEach, describe, expect, it } from '@jest/globals';
import { startApp, type ConfigObject, type TestApp } from '../../support/app.ts';
import { HostileProvider } from '../../support/hostile-provider.ts';
import { Visitor } from '../../support/visitor.ts';

let app: TestApp | undefined;
let provider: HostileProvider | undefined;

afterEach(async () => {
  await app?.close();
  await provider?.close();
});

/** The status of a callback whose ID token says that groups were left out. */
async function signInWithTooManyGroups(change: (config: ConfigObject) => ConfigObject): Promise<number> {
  provider = await HostileProvider.start();
  const { issuer } = provider;
  provider.behave({ claims: ({ groups: _groups, ...right }) => ({ ...right, _claim_names: { groups: 'src1' } }) });
  app = await startApp({
    config: (config) =>
      change({
        ...config,
        auth: { ...(config['auth'] as ConfigObject), oidc: { issuer, client_id: 'svc', client_secret: 'x' } },
      }),
  });
  const visitor = new Visitor();
  const begun = await visitor.request(`${app.origin}/api/auth/login`);
  return (await visitor.request(provider.visit(begun.headers.get('location')!))).status;
}

describe('a sign-in whose groups were left out', () => {
  it('is 401 where the configuration denies something to a group', async () => {
    expect(await signInWithTooManyGroups((config) => config)).toBe(401);
  });

  it('goes on where it does not', async () => {
    expect(
      await signInWithTooManyGroups((config) => ({
        ...config,
        policies: [],
        bindings: [{ groups: ['viewers'], role: 'viewer' }],
      })),
    ).toBe(303);
  });
});
