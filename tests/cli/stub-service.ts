import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A service that lists what it likes and cuts downloads off: what no real one does on demand. */
export type StubService = {
  readonly url: string;
  /** `Range` of each download, in order; empty without one. */
  readonly ranges: string[];
  /** The largest number of downloads and copies that were under way at once. */
  readonly mostAtOnce: number;
  close(): Promise<void>;
};

export type StubOptions = {
  readonly content: Buffer;
  readonly keys: readonly string[];
  /** The first so many downloads are cut off in the middle. */
  readonly cuts?: number;
  readonly etag?: () => string;
  /** Every page and every download goes on for ever. */
  readonly endless?: boolean;
  /** How long a download or a copy waits for its answer. */
  readonly pauseMs?: number;
};

type RpcCall = { readonly id: number; readonly method: string; readonly params: { readonly direction?: string } };

export async function startStubService({
  content,
  keys,
  cuts = 0,
  etag = () => 'v1',
  endless = false,
  pauseMs = 0,
}: StubOptions): Promise<StubService> {
  const ranges: string[] = [];
  let [underWay, mostAtOnce] = [0, 0];
  const begin = (res: ServerResponse): void => {
    mostAtOnce = Math.max(mostAtOnce, (underWay += 1));
    res.once('close', () => (underWay -= 1));
  };
  const answerRpc = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const message = JSON.parse(await text(req)) as RpcCall | RpcCall[];
    const { method, params } = Array.isArray(message) ? message[0]! : message;
    const about = { size: content.length, etag: etag() };
    const results: Record<string, unknown> = {
      'object/list': {
        objects: keys.map((key) => ({ key, lastModified: '2026-01-01T00:00:00Z', ...about })),
        prefixes: [],
        nextCursor: endless ? 'again' : null,
      },
      'object/copy': about,
      'object/head': { key: keys[0], lastModified: null, contentType: 'text/plain', ...about },
      'transfer/create': {
        url: `${url}/v1/transfers/ticket`,
        method: params.direction === 'upload' ? 'PUT' : 'GET',
        expiresAt: '2026-01-01T00:00:00Z',
      },
    };
    const answerTo = ({ id }: RpcCall) => ({ jsonrpc: '2.0', id, result: results[method] });
    const answer = JSON.stringify(Array.isArray(message) ? message.map(answerTo) : answerTo(message));
    if (method !== 'object/copy') res.end(answer);
    else {
      begin(res);
      setTimeout(() => res.end(answer), pauseMs);
    }
  };
  const answerDownload = (req: IncomingMessage, res: ServerResponse): void => {
    const range = req.headers.range ?? '';
    ranges.push(range);
    begin(res);
    res.setHeader('content-disposition', 'inline');
    const start = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0);
    if (endless) {
      res.writeHead(200, { etag: `"${etag()}"` });
      const more = (): unknown => !res.closed && res.write(content, () => setImmediate(more));
      more();
      return;
    }
    res.writeHead(start === 0 ? 200 : 206, {
      'content-length': content.length - start,
      'content-range': `bytes ${start}-${content.length - 1}/${content.length}`,
      etag: `"${etag()}"`,
    });
    if (ranges.length > cuts) setTimeout(() => res.end(content.subarray(start)), pauseMs);
    else
      res.write(content.subarray(start, start + Math.ceil((content.length - start) / 2)), () =>
        setTimeout(() => res.destroy(), 100),
      );
  };
  const server = createServer((req, res) => void (req.url === '/rpc' ? answerRpc(req, res) : answerDownload(req, res)));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    ranges,
    get mostAtOnce() {
      return mostAtOnce;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
