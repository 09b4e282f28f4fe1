import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { Storage } from '../../src/storage/storage.ts';
import type { StorageProvider, StorageProviderOptions } from '../../src/storage/provider.ts';
import { countCalls, type CallCounter } from './call-counter.ts';
import { fillGaps, openUploads, plantKeys, type GapOptions } from './s3rver-gaps.ts';

export type S3Emulator = {
  readonly url: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly server: S3rver;
  close(): Promise<void>;
};

/** A real s3rver with its gaps filled, on a free port of the loopback, in a directory of its own unless one is given. */
export async function startS3rver(
  options: GapOptions & {
    readonly directory?: string;
    readonly port?: number;
    readonly buckets?: readonly string[];
  } = {},
): Promise<S3Emulator> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'svc-s3-')));
  const server = new S3rver({
    address: '127.0.0.1',
    port: options.port ?? 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: (options.buckets ?? []).map((name) => ({ name })),
  });
  server.on('error', () => undefined);
  fillGaps(server, options);
  const { port } = await server.run();
  return {
    url: `http://127.0.0.1:${port}`,
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    server,
    close: async () => {
      server.httpServer.closeAllConnections();
      await server.close();
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Storage for a test: s3rver, or whatever `SVC_TEST_S3_ENDPOINT` names, behind a counter of its calls. */
export type TestStorage = {
  readonly isS3rver: boolean;
  readonly options: StorageProviderOptions;
  readonly storage: Storage;
  readonly provider: StorageProvider;
  readonly counter: CallCounter;
  /** A bucket name that no other test has; not created yet. */
  bucketName(): string;
  /** Puts many empty objects into a bucket. */
  plant(bucket: string, keys: readonly string[]): Promise<void>;
  /** Ids of the uploads of a bucket that were neither completed nor dropped. */
  openUploads(bucket: string): Promise<string[]>;
  close(): Promise<void>;
};

export async function startStorage(
  more: Partial<StorageProviderOptions> = {},
  gaps: GapOptions = {},
): Promise<TestStorage> {
  const {
    SVC_TEST_S3_ENDPOINT: endpoint,
    SVC_TEST_S3_ACCESS_KEY = '',
    SVC_TEST_S3_SECRET_KEY = '',
    SVC_TEST_S3_REGION = 'us-east-1',
  } = process.env;
  const emulator = endpoint === undefined ? await startS3rver(gaps) : undefined;
  const counter = await countCalls(emulator?.url ?? endpoint!);
  const options: StorageProviderOptions = {
    name: 'test',
    type: 's3',
    endpoint: counter.url,
    region: SVC_TEST_S3_REGION,
    pathStyle: true,
    dotSegments: emulator === undefined ? 'keep' : 'refuse',
    credentials: emulator ?? { accessKeyId: SVC_TEST_S3_ACCESS_KEY, secretAccessKey: SVC_TEST_S3_SECRET_KEY },
    connectTimeoutMs: 1000,
    idleTimeoutMs: 10_000,
    ...more,
  };
  const storage = new Storage([options]);
  const provider = storage.providers.provider(options.name);
  let buckets = 0;
  return {
    isS3rver: emulator !== undefined,
    options,
    storage,
    provider,
    counter,
    bucketName: () => `svc-test-${Date.now().toString(36)}-${process.pid}-${++buckets}`,
    plant: async (bucket, keys) =>
      emulator ? plantKeys(emulator.server.store, bucket, keys) : putEmpty(provider, bucket, keys),
    openUploads: async (bucket) => {
      if (emulator) return openUploads(emulator.server.store, bucket);
      const { items } = await provider.s3.ask(
        { method: 'GET', bucket, query: { uploads: '' } },
        'ListMultipartUploadsResult',
      );
      return items.flatMap(({ name, fields }) => (name === 'Upload' ? [fields['UploadId'] ?? ''] : []));
    },
    close: async () => {
      storage.close();
      await counter.close();
      await emulator?.close();
    },
  };
}

async function putEmpty(provider: StorageProvider, bucket: string, keys: readonly string[]): Promise<void> {
  const left = keys.values();
  const work = async (): Promise<void> => {
    for (const key of left) await provider.s3.send({ method: 'PUT', bucket, key });
  };
  await Promise.all(Array.from({ length: 32 }, work));
}
