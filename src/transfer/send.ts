import { failureOf, isTransient } from './failure.ts';
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

/** What the service stores when it is told no content type. */
const UNTYPED = 'application/octet-stream';

/** Sends the whole file. After a failure, an earlier try may have stored it all the same, so each further try looks before it sends again. */
async function sendWhole<Body>(upload: Upload<Body>, context: UploadContext<Body>): Promise<void> {
  const { file, target, whenTaken } = upload;
  const { transport, signal, onSent } = context;
  let tries = 0;
  try {
    await request(context, signal, async () => {
      tries += 1;
      // Whether the object there has these headers is not known, so it is written again.
      const mayBeStored = tries > 1 && file.stored === undefined;
      if (mayBeStored && (await holds(upload, context, file.contentType || UNTYPED))) return;
      onSent(0, false);
      try {
        await transport.put(target, file.slice(0, file.size), file.contentType, whenTaken, {
          signal,
          onProgress: (bytes) => onSent(bytes, false),
        });
      } catch (thrown) {
        // A proxy or a browser repeats a request silently, so that even the first try may find its own object.
        if (failureOf(thrown).code !== 'precondition_failed' || !(await holds(upload, context))) throw thrown;
      }
    });
    onSent(file.size, false);
  } catch (thrown) {
    onSent(0, false);
    throw thrown;
  }
}

/**
 * Whether the object at the target equals this file; false when the caller may not read it.
 *
 * @param contentType - of the object too, when given: an older object may have the same bytes.
 * @throws a failure that may pass, after which it is not known.
 */
async function holds<Body>(
  { file, target }: Upload<Body>,
  { transport, signal }: UploadContext<Body>,
  contentType?: string,
): Promise<boolean> {
  try {
    const found = await transport.find(target, signal);
    if (found?.size !== file.size || (contentType ?? found.contentType) !== found.contentType) return false;
    const [ours, theirs] = await Promise.all([file.bytes(), transport.read(target, signal)]);
    return ours.length === theirs.length && ours.every((byte, at) => byte === theirs[at]);
  } catch (thrown) {
    signal.throwIfAborted();
    if (isTransient(thrown)) throw thrown;
    return false;
  }
}
