import type { ArrivedPart, Sending, Target, Transport, WhenTaken } from '../../transfer/transport.ts';
import { ApiError, apiErrorOf, errorOfBody, reportError } from '../api/api-error.ts';
import { answered, service, writtenIn } from '../api/client.ts';
import { routeUrl, send, type Query } from '../api/request.ts';
import { t } from '../words/words.ts';

const UPLOADS = '/api/providers/{provider}/buckets/{bucket}/uploads';

/** Uploads through the routes of the service. It sends bodies with `XMLHttpRequest`, because `fetch` reports no upload progress. */
export const serviceTransport: Transport<Blob> = {
  async put(target, body, contentType, whenTaken, sending) {
    const headers = { ...conditions(whenTaken), ...(contentType === '' ? {} : { 'content-type': contentType }) };
    writtenIn(await sendBody(routeUrl(inBucket(target, 'object'), { key: target.key }), body, headers, sending));
  },

  async find(target, signal) {
    try {
      const { headers } = await send(inBucket(target, 'object'), { method: 'HEAD', query: keyOf(target), signal });
      return {
        size: Number(headers.get('content-length')),
        version: `${headers.get('etag')} ${headers.get('last-modified')}`,
        contentType: headers.get('content-type') ?? '',
      };
    } catch (error) {
      const { code } = apiErrorOf(error);
      if (code === 'not_found' || code === 'access_denied') return undefined;
      throw error;
    }
  },

  async read(target, signal) {
    const response = await send(inBucket(target, 'object'), { query: keyOf(target), signal });
    return new Uint8Array(await response.arrayBuffer());
  },

  async begin(target, contentType, signal) {
    const { provider, bucket, key } = target;
    const body = contentType === '' ? { key } : { key, content_type: contentType };
    return (await answered(service.POST(UPLOADS, { params: { path: { provider, bucket } }, body, signal }))).id;
  },

  async sendPart(target, uploadId, number, body, sending) {
    const answer = await sendBody(
      routeUrl(inBucket(target, 'uploads', uploadId, 'parts', String(number)), { key: target.key }),
      body,
      {},
      sending,
    );
    return writtenIn(answer) as ArrivedPart;
  },

  async arrivedParts(target, uploadId, signal) {
    return (await answered(service.GET(`${UPLOADS}/{id}`, { params: ofUpload(target, uploadId), signal }))).parts;
  },

  async complete(target, uploadId, parts, whenTaken, signal) {
    const header = whenTaken === 'refuse' ? ({ 'If-None-Match': '*' } as const) : {};
    return (
      await answered(
        service.POST(`${UPLOADS}/{id}/complete`, {
          params: { ...ofUpload(target, uploadId), header },
          body: { parts: [...parts] },
          signal,
        }),
      )
    ).size;
  },

  async abandon(target, uploadId) {
    await service.DELETE(`${UPLOADS}/{id}`, { params: ofUpload(target, uploadId) });
  },
};

function inBucket(target: Target, ...rest: string[]): string[] {
  return ['api', 'providers', target.provider, 'buckets', target.bucket, ...rest];
}

function ofUpload({ provider, bucket, key }: Target, id: string) {
  return { path: { provider, bucket, id }, query: { key } };
}

function keyOf(target: Target): Query {
  return { key: target.key };
}

function conditions(whenTaken: WhenTaken): Readonly<Record<string, string>> {
  return whenTaken === 'refuse' ? { 'if-none-match': '*' } : {};
}

/** Sends a PUT request. @returns the text of the answer. */
function sendBody(
  url: string,
  body: Blob,
  headers: Readonly<Record<string, string>>,
  { signal, onProgress }: Sending,
): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const xhr = new XMLHttpRequest();
    const abort = () => {
      xhr.abort();
    };
    const settle = (error?: ApiError) => {
      signal.removeEventListener('abort', abort);
      if (error === undefined) {
        resolve(xhr.responseText);
        return;
      }
      reportError(error);
      reject(error);
    };
    xhr.open('PUT', url);
    xhr.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.addEventListener('progress', (event) => onProgress(event.loaded));
    xhr.addEventListener('load', () =>
      settle(
        xhr.status < 300 ? undefined : errorOfBody(xhr.status, xhr.responseText, xhr.getResponseHeader('retry-after')),
      ),
    );
    xhr.addEventListener('error', () => settle(apiErrorOf(undefined)));
    xhr.addEventListener('abort', () => settle(new ApiError('aborted', t('The request was cancelled.'))));
    signal.addEventListener('abort', abort, { once: true });
    xhr.send(body);
  });
}
