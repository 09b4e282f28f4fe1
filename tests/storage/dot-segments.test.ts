import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/policy/grants.ts';
import { archive } from '../../src/storage/archive.ts';
import { listObjects } from '../../src/storage/listing.ts';
import { abortUpload, listParts, putPart, startUpload } from '../../src/storage/multipart.ts';
import { copyObject, moveObject } from '../../src/storage/object-copy.ts';
import { deleteObject, deleteObjects } from '../../src/storage/object-delete.ts';
import { getObject, headObject } from '../../src/storage/object-read.ts';
import { putObject } from '../../src/storage/object-write.ts';
import { presign } from '../../src/storage/presign.ts';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage } from '../../src/storage/storage.ts';

const LISTED = ['../up', './here', 'a/../b', 'a/./b', 'a/plain', 'b..', 'z/..'];
const FOLDERS = ['../', './', 'a/', 'z/'];

/** Storage that keeps such keys, and lists them. */
const server = http.createServer((req, res) => {
  calls += 1;
  const rolled = (req.url ?? '').includes('delimiter');
  const contents = (rolled ? ['b..'] : LISTED).map((key) => `<Contents><Key>${key}</Key><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>1</Size></Contents>`);
  const prefixes = rolled ? FOLDERS.map((prefix) => `<CommonPrefixes><Prefix>${prefix}</Prefix></CommonPrefixes>`) : [];
  res.writeHead(200, { 'content-type': 'application/xml' }).end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}${prefixes.join('')}</ListBucketResult>`);
});
let calls = 0;
let refusing: StorageProvider;
let keeping: StorageProvider;
let storage: Storage;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const options = { type: 's3', endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, region: 'us-east-1', pathStyle: true, credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, connectTimeoutMs: 1000, idleTimeoutMs: 1000 } as const;
  storage = new Storage([{ ...options, name: 'refusing' }, { ...options, name: 'keeping', dotSegments: 'keep' }]);
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
  const { objects, prefixes } = await listObjects(provider, { bucket, prefix: '', delimiter, limit: 100, grants: EVERYTHING });
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

  it('is given to storage by no function', async () => {
    const key = 'a/../b';
    const dotted = { bucket, key };
    const place = (name: string) => ({ provider: refusing, bucket, key: name });
    const body = () => Readable.from(['x']);
    calls = 0;
    const asked: Record<string, () => Promise<unknown>> = {
      getObject: () => getObject(refusing, dotted),
      headObject: () => headObject(refusing, dotted),
      putObject: () => putObject(refusing, dotted, body()),
      deleteObject: () => deleteObject(refusing, dotted),
      deleteObjects: () => deleteObjects(refusing, bucket, ['x', key]),
      'copyObject from': () => copyObject(place(key), place('x')),
      'copyObject to': () => copyObject(place('x'), place(key)),
      'moveObject from': () => moveObject(place(key), place('x')),
      'moveObject to': () => moveObject(place('x'), place(key)),
      presign: () => presign(refusing, dotted, 'GET', 60),
      startUpload: () => startUpload(refusing, dotted),
      putPart: () => putPart(refusing, { ...dotted, id: 'id' }, { number: 1, size: 1, body: body() }),
      listParts: () => listParts(refusing, { ...dotted, id: 'id' }),
      abortUpload: () => abortUpload(refusing, { ...dotted, id: 'id' }),
      listObjects: () => listObjects(refusing, { bucket, prefix: '../', limit: 1, grants: EVERYTHING }),
      'archive of a key': () => archive(refusing, { bucket, keys: [key], prefixes: [], permit: () => true, grants: EVERYTHING }),
      'archive of a prefix': () => archive(refusing, { bucket, keys: [], prefixes: ['../'], permit: () => true, grants: EVERYTHING }),
    };
    for (const [name, ask] of Object.entries(asked)) expect([name, await ask().then(() => 'asked', (error: unknown) => (error as { readonly code?: string }).code)]).toEqual([name, 'invalid_request']);
    expect(calls).toBe(0);
  });
});
