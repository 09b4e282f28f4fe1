import { failureOf } from './failure.ts';
import { SINGLE_REQUEST_MAX_BYTES } from './parts.ts';
import { sendInParts } from './send-in-parts.ts';
import { request, type Upload, type UploadContext } from './upload.ts';

/**
 * Uploads a file: in one request, or in parts from 16 MiB on, several at once. The object appears whole, or not at all.
 *
 * Begun before and broken off, it goes on with the parts that are missing, provided that the file is still the same. What the service refuses
 * for good is dropped, so that no part stays in storage.
 */
export async function sendUpload<Body>(upload: Upload<Body>, context: UploadContext<Body>): Promise<void> {
  await (upload.file.size > SINGLE_REQUEST_MAX_BYTES ? sendInParts(upload, context) : sendWhole(upload, context));
}

async function sendWhole<Body>(upload: Upload<Body>, context: UploadContext<Body>): Promise<void> {
  const { file, target, whenTaken } = upload;
  const { transport, signal, onSent } = context;
  try {
    await request(context, signal, async () => {
      onSent(0, false);
      await transport.put(target, file.slice(0, file.size), file.contentType, whenTaken, { signal, onProgress: (bytes) => onSent(bytes, false) });
    });
  } catch (thrown) {
    onSent(0, false);
    // The answer that it stands may have been lost: to us, or to a browser, which sends again without a word.
    if (failureOf(thrown).code !== 'precondition_failed' || !(await holds(upload, context))) throw thrown;
  }
}

/** Whether exactly this file stands at the target; false where the caller may not read it. */
async function holds<Body>({ file, target }: Upload<Body>, { transport, signal }: UploadContext<Body>): Promise<boolean> {
  try {
    if ((await transport.sizeOf(target, signal)) !== file.size) return false;
    const [ours, theirs] = await Promise.all([file.bytes(), transport.read(target, signal)]);
    return ours.length === theirs.length && ours.every((byte, at) => byte === theirs[at]);
  } catch {
    signal.throwIfAborted();
    return false;
  }
}
