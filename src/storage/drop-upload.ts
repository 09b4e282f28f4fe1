import { setTimeout as wait } from 'node:timers/promises';
import type { AbortMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';

/** The pauses before further attempts: storage that fails is often well again soon. */
const PAUSES_MS = [1_000, 10_000, 60_000];

/**
 * Drops an upload and its parts, which nobody would find later. When the first attempt fails, further ones follow in the background.
 *
 * @throws what the first attempt threw.
 */
export async function dropUpload(client: S3Client, command: AbortMultipartUploadCommand, firstTry: { readonly abortSignal?: AbortSignal } = {}): Promise<unknown> {
  try {
    return await client.send(command, firstTry);
  } catch (error) {
    void dropLater(client, command);
    throw error;
  }
}

async function dropLater(client: S3Client, command: AbortMultipartUploadCommand): Promise<void> {
  for (const pause of PAUSES_MS) {
    await wait(pause, undefined, { ref: false });
    const outcome = await client.send(command).catch((error: unknown) => error as { name?: string });
    if (!(outcome instanceof Error) || outcome.name === 'NoSuchUpload') return;
  }
}
