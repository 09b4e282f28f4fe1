import { createHash } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { startS3rver, type S3Emulator } from '../../tests/support/s3-server.ts';
import type { SampleBuckets } from './samples/buckets.ts';
import type { Sample } from './samples/sample.ts';

type Store = S3Emulator['server']['store'];

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
    for (const [bucket, samples] of Object.entries(buckets)) fill(emulator.server.store, bucket, samples);
  } catch (error) {
    await emulator.close();
    throw error;
  }
  return emulator;
}

/** Each sample is a few hours older than the one before it, so that sorting by time shows something. */
function fill(store: Store, bucket: string, samples: readonly Sample[]): void {
  const now = Date.now();
  const folders = new Set<string>();
  for (const [i, { key, type, body }] of samples.entries()) {
    const path = store.getResourcePath(bucket, key, 'object');
    const folder = dirname(path);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    const modified = new Date(now - i * 9 * HOUR_MS);
    writeFileSync(path, body);
    utimesSync(path, modified, modified);
    writeFileSync(`${path}.md5`, createHash('md5').update(body).digest('hex'));
    writeFileSync(store.getResourcePath(bucket, key, 'metadata.json'), JSON.stringify({ 'content-type': type }));
  }
}
