import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/index/grants.ts';
import { listObjects } from '../../src/storage/listing.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const LISTED = ['../up', './here', 'a/../b', 'a/./b', 'a/plain', 'b..', 'z/..'];
const FOLDERS = ['../', './', 'a/', 'z/'];

/** Storage that keeps such keys, and lists them. */
const server = http.createServer((req, res) => {
  const rolled = (req.url ?? '').includes('delimiter');
  const contents = (rolled ? ['b..'] : LISTED).map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>1</Size></Contents>`,
  );
  const prefixes = rolled ? FOLDERS.map((prefix) => `<CommonPrefixes><Prefix>${prefix}</Prefix></CommonPrefixes>`) : [];
  res
    .writeHead(200, { 'content-type': 'application/xml' })
    .end(
      `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}${prefixes.join('')}</ListBucketResult>`,
    );
});
let refusing: StorageProvider;
let keeping: StorageProvider;
let storage: Storage;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const options = {
    type: 's3',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'us-east-1',
    pathStyle: true,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    connectTimeoutMs: 1000,
    idleTimeoutMs: 1000,
  } as const;
  storage = new Storage([
    { ...options, name: 'refusing' },
    { ...options, name: 'keeping', dotSegments: 'keep' },
  ]);
  refusing = storage.providers.provider('refusing');
  keeping = storage.providers.provider('keeping');
});
afterAll(async () => {
  storage.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const bucket = 'files';
const keysOf = async (provider: StorageProvider, delimiter?: '/') => {
  const { objects, prefixes } = await listObjects(withoutPolicy({ provider, bucket, prefix: '' }), {
    delimiter,
    limit: 100,
    grants: EVERYTHING,
  });
  return [...objects.map(({ key }) => key), ...prefixes];
};

describe('a key with a segment `.` or `..`', () => {
  it('is left out of listings, and so is a folder of that name', async () => {
    expect(await keysOf(refusing)).toEqual(['a/plain', 'b..']);
    expect(await keysOf(refusing, '/')).toEqual(['b..', 'a/', 'z/']);
  });

  it('is listed where storage is known to keep it apart', async () => {
    expect(await keysOf(keeping)).toEqual(LISTED);
    expect(await keysOf(keeping, '/')).toEqual(['b..', ...FOLDERS]);
  });
});
