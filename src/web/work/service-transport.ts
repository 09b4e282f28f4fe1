import type { ArrivedPart, Sending, Target, Transport, WhenTaken } from '../../transfer/transport.ts';
import type { Answered } from '../../wire/http.ts';
import { ApiError, apiErrorOf, errorOfBody } from '../api/api-error.ts';
import { reportError, request, routeUrl, send, type Query } from '../api/request.ts';

/** Uploads through the service's own routes. Bodies go by `XMLHttpRequest`, because `fetch` tells no progress of sending. */
export const serviceTransport: Transport<Blob> = {
  async put(target, body, contentType, whenTaken, sending) {
    const headers = { ...conditions(whenTaken), ...(contentType === '' ? {} : { 'content-type': contentType }) };
    await sendBody(routeUrl(inBucket(target, 'object'), { key: target.key }), body, headers, sending);
  },

  async sizeOf(target, signal) {
    try {
      const response = await fetch(routeUrl(inBucket(target, 'object'), { key: target.key }), { method: 'HEAD', credentials: 'same-origin', redirect: 'error', signal });
      return response.ok ? Number(response.headers.get('content-length')) : undefined;
    } catch (error) {
      throw apiErrorOf(error);
    }
  },

  async read(target, signal) {
    const response = await send(inBucket(target, 'object'), { query: keyOf(target), signal });
    return new Uint8Array(await response.arrayBuffer());
  },

  async begin(target, contentType, signal) {
    const json = contentType === '' ? { key: target.key } : { key: target.key, content_type: contentType };
    const started = await request<Answered<'upload/create'>>(inBucket(target, 'uploads'), { method: 'POST', json, signal });
    return started.id;
  },

  async sendPart(target, uploadId, number, body, sending) {
    const answer = await sendBody(routeUrl(inBucket(target, 'uploads', uploadId, 'parts', String(number)), { key: target.key }), body, {}, sending);
    return JSON.parse(answer) as ArrivedPart;
  },

  async arrivedParts(target, uploadId, signal) {
    const list = await request<Answered<'upload/get'>>(inBucket(target, 'uploads', uploadId), { query: keyOf(target), signal });
    return list.parts;
  },

  async complete(target, uploadId, parts, whenTaken, signal) {
    const options = { method: 'POST', query: keyOf(target), json: { parts }, headers: conditions(whenTaken), signal } as const;
    return (await request<Answered<'upload/complete'>>(inBucket(target, 'uploads', uploadId, 'complete'), options)).size;
  },

  async abandon(target, uploadId) {
    await send(inBucket(target, 'uploads', uploadId), { method: 'DELETE', query: keyOf(target) });
  },
};

function inBucket(target: Target, ...rest: string[]): string[] {
  return ['api', 'providers', target.provider, 'buckets', target.bucket, ...rest];
}

function keyOf(target: Target): Query {
  return { key: target.key };
}

function conditions(whenTaken: WhenTaken): Readonly<Record<string, string>> {
  return whenTaken === 'refuse' ? { 'if-none-match': '*' } : {};
}

/** @returns the text of the answer. */
function sendBody(url: string, body: Blob, headers: Readonly<Record<string, string>>, { signal, onProgress }: Sending): Promise<string> {
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
    xhr.addEventListener('load', () => settle(xhr.status < 300 ? undefined : errorOfBody(xhr.status, xhr.responseText, xhr.getResponseHeader('retry-after'))));
    xhr.addEventListener('error', () => settle(apiErrorOf(undefined)));
    xhr.addEventListener('abort', () => settle(new ApiError('aborted', 'The request was cancelled.')));
    signal.addEventListener('abort', abort, { once: true });
    xhr.send(body);
  });
}
