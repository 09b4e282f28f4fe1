import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { versionPages } from '../../src/cli/objects/version-pages.ts';
import { Connection } from '../../src/client/connection.ts';
import { ToldStorage } from '../storage/told-storage.ts';
import { startApp, type ConfigObject, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';

const storage = new ToldStorage();
let app: TestApp;
beforeAll(async () => {
  await storage.start();
  app = await startApp({
    config: (given) => ({
      ...given,
      providers: (given['providers'] as ConfigObject[]).map((main) => ({ ...main, endpoint: storage.endpoint })),
    }),
  });
});
afterAll(async () => {
  await app.close();
  await storage.close();
});

it('ends when storage gives the same versions of an object by turns, page after page', async () => {
  storage.answer = ({ query }) => ({
    body: `<ListVersionsResult><IsTruncated>true</IsTruncated><Version><Key>k</Key><VersionId>${query.get('version-id-marker') === 'one' ? 'two' : 'one'}</VersionId></Version></ListVersionsResult>`,
  });
  const { access_token: token } = await signInDesktop(app, 'ada');
  const connection = new Connection(app.origin, token);
  const pages: (string | undefined)[] = [];
  const reading = async (): Promise<void> => {
    for await (const page of versionPages(connection, { provider: 'main', bucket: 'files', key: 'k' }, 'object'))
      if (pages.push(page[0]?.version) > 10) throw new Error('it does not end');
  };
  await expect(reading()).rejects.toThrow('the same page twice');
  expect(pages).toEqual(['one', 'two', 'one']);
});

it('says that storage without versions keeps none, not that it is unavailable', async () => {
  const { access_token: token } = await signInDesktop(app, 'ada');
  const connection = new Connection(app.origin, token);
  for (const [status, code] of [
    [405, 'MethodNotAllowed'],
    [501, 'NotImplemented'],
  ] as const) {
    storage.answer = () => ({ status, body: `<Error><Code>${code}</Code></Error>` });
    const asked = connection.call('object/listVersions', { provider: 'main', bucket: 'files', prefix: '' });
    await expect(asked).rejects.toMatchObject({
      code: 'not_supported',
      detail: expect.stringContaining('no versions'),
    });
  }
});
