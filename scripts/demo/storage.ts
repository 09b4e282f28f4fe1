import { createHash } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { startS3rver, type S3Emulator } from '../../tests/support/s3-server.ts';
import type { SampleBuckets } from './samples/buckets.ts';
import type { Sample } from './samples/sample.ts';

type Store = S3Emulator['server']['store'];

const WRITES_AT_ONCE = 64;
const HOUR_MS = 3_600_000;

/**
 * Starts an S3 server over an emptied directory and fills it.
 *
 * The samples go straight to where its store keeps them: thousands of them over HTTP would take longer than anybody waits.
 */
export async function startSampleStorage(buckets: SampleBuckets, directory: string, port: number): Promise<S3Emulator> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const emulator = await startS3rver({ directory, port, buckets: Object.keys(buckets) });
  try {
    for (const [bucket, samples] of Object.entries(buckets)) await fill(emulator.server.store, bucket, samples);
  } catch (error) {
    await emulator.close();
    throw error;
  }
  return emulator;
}

/** Each sample is a few hours older than the one before it, so that sorting by time shows something. */
async function fill(store: Store, bucket: string, samples: readonly Sample[]): Promise<void> {
  const now = Date.now();
  const left = samples.entries();
  const work = async (): Promise<void> => {
    for (const [i, sample] of left) await put(store, bucket, sample, new Date(now - i * 9 * HOUR_MS));
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, work));
}

async function put(store: Store, bucket: string, { key, type, body }: Sample, modified: Date): Promise<void> {
  const path = store.getResourcePath(bucket, key, 'object');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
  await utimes(path, modified, modified);
  await store.putMetadata(bucket, key, { 'content-type': type }, createHash('md5').update(body).digest('hex'));
}
