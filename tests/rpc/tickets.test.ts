import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { signInDesktop } from '../support/desktop-client.ts';
import { RpcClient } from '../support/rpc-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const LIVE = 1_000;
const BATCH = 50;
const params = { direction: 'download', provider: 'main', bucket: 'files', key: 'a.txt' } as const;

const ticketsOf = async (client: RpcClient, count: number): Promise<string[]> => {
  const urls: string[] = [];
  const batch = JSON.stringify(
    Array.from({ length: BATCH }, (_, id) => ({ jsonrpc: '2.0', id, method: 'transfer/create', params })),
  );
  while (urls.length < count)
    urls.push(
      ...((await (await client.send(batch)).json()) as { result: { url: string } }[]).map(({ result }) => result.url),
    );
  return urls;
};
const newKey = async (client: RpcClient) => {
  const rules = [{ actions: ['objects:read'] as const, resources: [{ type: 'all' as const }] }];
  const { credential } = await client.call('apiKey/create', { description: 'k', scope: { rules }, expiresAt: null });
  return RpcClient.bearer(app.origin, credential);
};
const statusOf = async (url: string) => {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  return answer.status;
};

describe('transfer tickets', () => {
  it('honour `Content-MD5` of an object and of a part, and `If-Match` of a download', async () => {
    const editor = RpcClient.bearer(app.origin, (await signInDesktop(app, 'eve')).access_token);
    const object = { ...params, key: 'summed.txt' };
    const { id } = await editor.call('upload/create', { provider: 'main', bucket: 'files', key: object.key });
    const sums = ['other', 'body'].map((text) => createHash('md5').update(text).digest('base64'));
    for (const upload of [undefined, { id, part: 1 }]) {
      const statuses: number[] = [];
      for (const sum of sums) {
        const { url } = await editor.call('transfer/create', {
          ...object,
          direction: 'upload',
          ...(upload === undefined ? {} : { upload }),
        });
        statuses.push((await fetch(url, { method: 'PUT', body: 'body', headers: { 'content-md5': sum } })).status);
      }
      expect([upload, statuses]).toEqual([upload, [400, 200]]);
    }
    const { url } = await editor.call('transfer/create', object);
    const { etag } = await editor.call('object/head', { provider: 'main', bucket: 'files', key: object.key });
    const get = async (tag: string) => (await fetch(url, { headers: { 'if-match': tag } })).status;
    expect([await get(etag), await get('"other"')]).toEqual([200, 412]);
  });

  it('are at most 1,000 for all sessions of a person, and as many for all their keys: the oldest end, and nobody else notices', async () => {
    const eve = await app.signIn('eve');
    await eve.request(`${app.origin}/api/providers/main/buckets/files/object?key=a.txt`, {
      method: 'PUT',
      headers: { origin: app.origin },
      body: 'a',
    });
    const [session, again, ofAnother] = await Promise.all(
      ['vic', 'vic', 'eve'].map(async (account) =>
        RpcClient.bearer(app.origin, (await signInDesktop(app, account)).access_token),
      ),
    );
    const keys = await Promise.all([1, 2].map(() => newKey(session!)));
    for (const [first, second] of [
      [session!, again!],
      [keys[0]!, keys[1]!],
    ] as const) {
      const others = [ofAnother!, first === session ? keys[0]! : session!];
      const kept = (await Promise.all(others.map((client) => ticketsOf(client, 1)))).map((urls) => urls.at(-1)!);
      const [oldest] = await ticketsOf(first, 1);
      const urls = await ticketsOf(second, LIVE + BATCH);
      const ended = [oldest!, urls[0]!, urls[BATCH - 1]!];
      expect(await Promise.all(ended.map(statusOf))).toEqual([404, 404, 404]);
      expect(await Promise.all([urls[BATCH]!, urls.at(-1)!, ...kept].map(statusOf))).toEqual([200, 200, 200, 200]);
    }
    expect((await signInDesktop(app, 'dan')).token_type).toBe('Bearer');
  });
});
