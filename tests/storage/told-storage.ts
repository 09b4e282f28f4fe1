import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { StorageProvider } from '../../src/storage/provider.ts';
import { Storage, type Providers } from '../../src/storage/storage.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
};
export type Answer = {
  /** The connection breaks instead. */ readonly cut?: boolean;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** Storage that answers what it is told, and keeps what it was asked to the letter: for what no emulator checks, or would take hours of real bytes. */
export class ToldStorage {
  readonly asked: Asked[] = [];
  answer: (request: Asked) => Answer = () => ({ status: 404 });
  readonly #server = http.createServer((req, res) => this.#hear(req, res));
  #storage: Storage | undefined;

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** For the tests of a file or of a `describe`: started before them, closed after them, and after each of them it forgets what it was asked. */
  static forTests(): ToldStorage {
    const storage = new ToldStorage();
    beforeAll(() => storage.start());
    afterEach(() => void storage.asked.splice(0));
    afterAll(() => storage.close());
    return storage;
  }

  get providers(): Providers {
    return this.#storage!.providers;
  }

  get provider(): StorageProvider {
    return this.providers.provider('test');
  }

  async start(): Promise<StorageProvider> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#storage = new Storage([
      {
        name: 'test',
        type: 's3',
        endpoint: this.endpoint,
        region: 'us-east-1',
        pathStyle: true,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        connectTimeoutMs: 1000,
        idleTimeoutMs: 5000,
      },
    ]);
    return this.provider;
  }

  async close(): Promise<void> {
    this.#storage?.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #hear(req: http.IncomingMessage, res: http.ServerResponse): void {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://storage');
      const request = {
        method: req.method ?? '',
        path: pathname,
        query: searchParams,
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
      };
      this.asked.push(request);
      const { cut = false, status = 200, headers = {}, body = '' } = this.answer(request);
      if (cut) return void res.destroy();
      res.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
    });
  }
}
