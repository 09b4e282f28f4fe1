import http from 'node:http';
import { buffer } from 'node:stream/consumers';

export type RawRequest = {
  readonly method?: string;
  /** A list where a header comes more than once. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
};

export type RawAnswer = {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  text(): string;
  json(): unknown;
};

/** Sends a request exactly as written: no path is tidied, no header is added or refused. */
export async function rawRequest(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const length =
      body === undefined || 'content-length' in headers ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const req = http.request(
      { hostname, port, method, path, headers: { ...length, ...headers } as http.OutgoingHttpHeaders, agent: false },
      resolve,
    );
    req.once('error', reject);
    req.end(body);
  });
  const bytes = await buffer(answer);
  const text = (): string => bytes.toString();
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: bytes,
    text,
    json: () => JSON.parse(text()) as unknown,
  };
}
