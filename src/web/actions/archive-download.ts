import { ApiError, apiErrorOf, errorOfBody, errorOfResponse, reportError } from '../api/api-error.ts';
import { unreadable } from '../api/client.ts';
import { routeUrl } from '../api/request.ts';
import { inSentence } from '../names/visible.ts';
import { t } from '../words/words.ts';
import type { Task, TaskHandle, TaskTitles } from '../work/task-board.ts';
import type { Selected } from './beneath.ts';
import { archivePath, type BucketRef } from '../api/object-calls.ts';
import { saveBlob } from './save.ts';

/** What a proxy answers in place of the service has another type. */
const ZIP = 'application/zip';

type SavePicker = (options: {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}) => Promise<FileSystemFileHandle>;

/**
 * Downloads a selection as one ZIP, which the service creates while it sends it. Objects that the user may not read are left out and listed in a file of the archive.
 *
 * A large ZIP is written to the disk as it arrives, if the browser has a save dialog. Otherwise the browser collects the ZIP in a blob.
 * It has to be called in the event of the user's click, because browsers open the save dialog only there.
 *
 * @returns undefined when the user closed the save dialog.
 */
export async function archiveDownload(
  bucket: BucketRef,
  selection: readonly Selected[],
  name: string,
  large: boolean,
): Promise<Task | undefined> {
  const fileName = `${name}.zip`;
  const body = JSON.stringify({
    keys: selection.filter(({ kind }) => kind === 'file').map(({ key }) => key),
    prefixes: selection.filter(({ kind }) => kind === 'folder').map(({ key }) => key),
    skip_denied: true,
    name: fileName.slice(-200),
  });
  const file = large ? await pickFile(fileName) : undefined;
  if (file === 'dismissed') return undefined;
  if (file === undefined)
    return { ...downloadTitles(fileName), unit: 'bytes', work: (task) => intoBlob(bucket, body, fileName, task) };
  return { ...downloadTitles(file.name), unit: 'bytes', work: (task) => intoFile(bucket, body, file, task) };
}

function downloadTitles(fileName: string): TaskTitles {
  const name = { name: inSentence(fileName) };
  return { title: t('Downloading {name}', name), doneTitle: t('Downloaded {name}', name) };
}

/** The file that the user chose, or undefined if the browser has no save dialog or cannot open it. */
async function pickFile(suggestedName: string): Promise<FileSystemFileHandle | 'dismissed' | undefined> {
  const pick = (window as { showSaveFilePicker?: SavePicker }).showSaveFilePicker;
  try {
    return await pick?.call(window, {
      suggestedName,
      types: [{ description: t('ZIP archive'), accept: { [ZIP]: ['.zip'] } }],
    });
  } catch (thrown) {
    return thrown instanceof DOMException && thrown.name === 'AbortError' ? 'dismissed' : undefined;
  }
}

async function intoFile(bucket: BucketRef, body: string, file: FileSystemFileHandle, task: TaskHandle): Promise<void> {
  const writable = await file.createWritable();
  try {
    const response = await task.attempt(() => fetchArchive(bucket, body, task.signal));
    let bytes = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        bytes += chunk.byteLength;
        task.progress(bytes, undefined);
        controller.enqueue(chunk);
      },
    });
    await response.body!.pipeThrough(counted).pipeTo(writable, { signal: task.signal });
  } catch (thrown) {
    await writable.abort().catch(() => undefined);
    await removeEmpty(file).catch(() => undefined);
    // Reading the body of an interrupted answer fails with a TypeError, like `fetch`.
    throw thrown instanceof TypeError ? new ApiError('network', t('The download was interrupted.')) : thrown;
  }
}

/** Removes the empty file that the save dialog created. A file that existed before keeps its content, because an aborted write is discarded. */
async function removeEmpty(file: FileSystemFileHandle & { remove?(): Promise<void> }): Promise<void> {
  const { size } = await file.getFile();
  if (size === 0) await file.remove?.();
}

async function fetchArchive(bucket: BucketRef, body: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(routeUrl(archivePath(bucket)), {
      method: 'POST',
      body,
      credentials: 'same-origin',
      redirect: 'error',
      signal,
      headers: { 'content-type': 'application/json' },
    });
  } catch (error) {
    throw apiErrorOf(error);
  }
  if (response.ok) {
    if (response.headers.get('content-type') !== ZIP) throw unreadable();
    return response;
  }
  const error = await errorOfResponse(response);
  reportError(error);
  throw error;
}

/** Downloads with `XMLHttpRequest`, because the browser then collects the answer outside of the script's memory and reports progress. */
async function intoBlob(bucket: BucketRef, body: string, fileName: string, task: TaskHandle): Promise<void> {
  saveBlob(await task.attempt(() => receiveBlob(bucket, body, task)), fileName);
}

function receiveBlob(bucket: BucketRef, body: string, task: TaskHandle): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const stop = () => {
      xhr.abort();
    };
    const failed = () => {
      task.signal.removeEventListener('abort', stop);
      reject(apiErrorOf(undefined));
    };
    xhr.open('POST', routeUrl(archivePath(bucket)));
    xhr.responseType = 'blob';
    xhr.setRequestHeader('content-type', 'application/json');
    xhr.addEventListener('progress', (event) => task.progress(event.loaded, undefined));
    xhr.addEventListener('error', failed);
    xhr.addEventListener('abort', failed);
    xhr.addEventListener('load', () => {
      task.signal.removeEventListener('abort', stop);
      const answer = xhr.response as Blob;
      if (xhr.status === 200) {
        if (answer.type === ZIP) resolve(answer);
        else reject(unreadable());
        return;
      }
      void answer.text().then((text) => {
        const error = errorOfBody(xhr.status, text, xhr.getResponseHeader('retry-after'));
        reportError(error);
        reject(error);
      });
    });
    task.signal.addEventListener('abort', stop, { once: true });
    xhr.send(body);
  });
}
