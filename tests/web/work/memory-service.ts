import type {
  ArrivedPart,
  FoundObject,
  NamedPart,
  Sending,
  Target,
  Transport,
  WhenTaken,
} from '../../../src/transfer/transport.ts';

type Multipart = { readonly target: Target; readonly parts: Map<number, Blob> };
export type Call = 'put' | 'find' | 'read' | 'begin' | 'sendPart' | 'arrivedParts' | 'complete' | 'abandon';

export const problem = (code: string, members: object = {}) => Object.assign(new Error(code), { code, ...members });
export const placeOf = (key: string): Target => ({ provider: 'disk', bucket: 'docs', key });

const partOf = (number: number, body: Blob): ArrivedPart => ({
  number,
  size: body.size,
  etag: `"${number}-${body.size}"`,
});

/** A service in memory that counts, and fails when told to. */
export class MemoryService implements Transport<Blob> {
  readonly objects = new Map<string, Blob>();
  readonly uploads = new Map<string, Multipart>();
  readonly calls: { readonly call: Call; readonly key: string; readonly number?: number }[] = [];
  atOnce = 0;
  mostAtOnce = 0;
  /** Runs before each call is carried out; throws to make it fail. */
  before: (call: Call, key: string, number?: number) => Promise<void> | void = () => undefined;
  /** Runs after each call was carried out; throws to lose the answer. */
  after: (call: Call) => void = () => undefined;
  readonly #versions = new WeakMap<Blob, string>();
  readonly #types = new WeakMap<Blob, string>();
  #nextId = 1;

  count(call: Call): number {
    return this.calls.filter((other) => other.call === call).length;
  }

  put(
    target: Target,
    body: Blob,
    contentType: string,
    whenTaken: WhenTaken,
    { signal, onProgress }: Sending,
  ): Promise<void> {
    return this.#answer('put', target.key, signal, () => {
      this.#refuse(target, whenTaken);
      onProgress(body.size);
      this.objects.set(target.key, body);
      this.#types.set(body, contentType);
    });
  }

  find(target: Target, signal: AbortSignal): Promise<FoundObject | undefined> {
    return this.#answer('find', target.key, signal, () => {
      const object = this.objects.get(target.key);
      if (object === undefined) return undefined;
      if (!this.#versions.has(object)) this.#versions.set(object, String(this.#nextId++));
      return {
        size: object.size,
        version: this.#versions.get(object)!,
        contentType: this.#types.get(object) || 'application/octet-stream',
      };
    });
  }

  async read(target: Target, signal: AbortSignal): Promise<Uint8Array> {
    const object = await this.#answer('read', target.key, signal, () => this.objects.get(target.key));
    if (object === undefined) throw problem('not_found');
    return new Uint8Array(await object.arrayBuffer());
  }

  begin(target: Target, _contentType: string, signal: AbortSignal): Promise<string> {
    return this.#answer('begin', target.key, signal, () => {
      const id = `upload-${this.#nextId++}`;
      this.uploads.set(id, { target, parts: new Map() });
      return id;
    });
  }

  sendPart(
    target: Target,
    id: string,
    number: number,
    body: Blob,
    { signal, onProgress }: Sending,
  ): Promise<ArrivedPart> {
    return this.#answer(
      'sendPart',
      target.key,
      signal,
      () => {
        onProgress(body.size);
        this.#upload(id).parts.set(number, body);
        return partOf(number, body);
      },
      number,
    );
  }

  arrivedParts(target: Target, id: string, signal: AbortSignal): Promise<readonly ArrivedPart[]> {
    return this.#answer('arrivedParts', target.key, signal, () =>
      [...this.#upload(id).parts].map(([number, body]) => partOf(number, body)),
    );
  }

  complete(
    target: Target,
    id: string,
    named: readonly NamedPart[],
    whenTaken: WhenTaken,
    signal: AbortSignal,
  ): Promise<number> {
    return this.#answer('complete', target.key, signal, () => {
      const { parts } = this.#upload(id);
      this.#refuse(target, whenTaken);
      const bodies = named.map(({ number, etag }) => {
        const body = parts.get(number);
        if (body === undefined || partOf(number, body).etag !== etag) throw problem('conflict', { parts: [number] });
        return body;
      });
      const object = new Blob(bodies);
      this.objects.set(target.key, object);
      this.uploads.delete(id);
      return object.size;
    });
  }

  abandon(target: Target, id: string): Promise<void> {
    return this.#answer('abandon', target.key, new AbortController().signal, () => void this.uploads.delete(id));
  }

  #upload(id: string): Multipart {
    const upload = this.uploads.get(id);
    if (!upload) throw problem('not_found');
    return upload;
  }

  #refuse(target: Target, whenTaken: WhenTaken): void {
    if (whenTaken === 'refuse' && this.objects.has(target.key)) throw problem('precondition_failed');
  }

  async #answer<T>(call: Call, key: string, signal: AbortSignal, work: () => T, number?: number): Promise<T> {
    this.calls.push(number === undefined ? { call, key } : { call, key, number });
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    try {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await this.before(call, key, number);
      signal.throwIfAborted();
      const result = work();
      this.after(call);
      return result;
    } finally {
      this.atOnce -= 1;
    }
  }
}
