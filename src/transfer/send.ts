import { failureOf } from './failure.ts';
import { SINGLE_REQUEST_MAX_BYTES } from './parts.ts';
import { sendInParts } from './send-in-parts.ts';
import { request, type Upload, type UploadContext } from './upload.ts';

/**
 * Uploads a file: in one request, or from 16 MiB on in parts, several at once. The object appears whole or not at all.
 *
 * An interrupted upload continues with the missing parts if the file is unchanged. After a permanent refusal the parts are deleted, so that none stay in
 * storage.
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
    // The answer to a successful request may have been lost: to us, or to a browser, which silently repeats requests.
    if (failureOf(thrown).code !== 'precondition_failed' || !(await holds(upload, context))) throw thrown;
  }
}

/** Whether the object at the target equals this file; false when the caller may not read it. */
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
