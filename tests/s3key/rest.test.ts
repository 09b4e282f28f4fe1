import { expect, it } from '@jest/globals';
import { S3_KEYS } from '../../src/s3key/s3-keys.ts';
import { SqliteKeyStore } from '../../src/key/sqlite-store.ts';
import { StateDatabase } from '../../src/state/database.ts';
import { startApp } from '../support/app.ts';
import { RpcClient } from '../support/rpc-client.ts';

it('a sign-in is noted at the S3 keys of the person, and at no others', async () => {
  const app = await startApp();
  const clientOf = async (name: string) => {
    const cookie = (await app.signIn(name)).cookie(app.origin, 'svc_session');
    return new RpcClient(app.origin, { cookie: `svc_session=${cookie}`, origin: app.origin });
  };
  const make = async (name: string) =>
    (await (await clientOf(name)).call('s3Key/create', { provider: 'main', description: 'x' })).key.accessKeyId;
  const [eves, pias] = [await make('eve'), await make('pia')];
  const { state } = app.settings;
  if (state?.type !== 'sqlite') throw new Error('the state is in a file');
  const database = StateDatabase.open(state.path);
  const store = new SqliteKeyStore(database, S3_KEYS);
  expect((await store.find(eves))?.signedInAt).toBeNull();
  await app.signIn('eve');
  expect((await store.find(eves))?.signedInAt).toBeGreaterThan(0);
  expect((await store.find(pias))?.signedInAt).toBeNull();
  database.close();
  await app.close();
});
