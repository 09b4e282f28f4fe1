import { createHash, createHmac } from 'node:crypto';
import { connect } from 'node:net';
import type { S3Key } from './s3-face.ts';

/** A character of a header is one byte. */
const sha256 = (text: string, encoding: BufferEncoding = 'utf8') =>
  createHash('sha256').update(text, encoding).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

export type Unsigned = {
  readonly method?: string;
  /** As it is sent, with its query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly key: S3Key;
  readonly host: string;
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly region?: string;
  readonly service?: string;
  readonly payloadHash?: string;
  /** Headers that are sent, and not signed. */
  readonly unsigned?: Readonly<Record<string, string>>;
};

/** The time of a request in the form of signatures. */
export const stampOf = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '');

const canonicalQuery = (query: string) =>
  query
    .split('&')
    .filter((member) => member !== '')
    .map((member) => (member.includes('=') ? member : `${member}=`))
    .sort()
    .join('&');

function signatureOf({
  method,
  target,
  headers,
  payloadHash,
  key,
  at,
  region,
  service,
}: Required<Omit<Unsigned, 'body' | 'host' | 'unsigned'>>) {
  const [path, query = ''] = target.split('?');
  const names = Object.keys(headers).sort();
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...names.map((name) => `${name}:${headers[name]!}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n');
  const stamp = stampOf(at);
  const scope = [stamp.slice(0, 8), region, service, 'aws4_request'];
  const signing = scope.reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${key.secretAccessKey}`);
  const toSign = `AWS4-HMAC-SHA256\n${stamp}\n${scope.join('/')}\n${sha256(canonical, 'latin1')}`;
  return { signature: hmac(signing, toSign).toString('hex'), names: names.join(';'), scope: scope.join('/') };
}

/** The headers of a signed request. This signer is independent of the service. */
export function signed(request: Unsigned): Record<string, string> {
  const { method = 'GET', body = '', at = Date.now(), region = 'svc', service = 's3' } = request;
  const payloadHash = request.payloadHash ?? sha256(body);
  const headers = {
    host: request.host,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': stampOf(at),
    ...request.headers,
  };
  const { signature, names, scope } = signatureOf({ ...request, method, headers, payloadHash, at, region, service });
  return {
    ...headers,
    ...request.unsigned,
    authorization: `AWS4-HMAC-SHA256 Credential=${request.key.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** The target of a request that is signed in its query. */
export function signedTarget(request: Unsigned & { readonly expires?: string }): string {
  const { method = 'GET', at = Date.now(), region = 'svc', service = 's3', headers = {} } = request;
  const scope = `${stampOf(at).slice(0, 8)}/${region}/${service}/aws4_request`;
  const names = Object.keys({ host: '', ...headers }).sort();
  const parameters = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent(`${request.key.accessKeyId}/${scope}`)}`,
    `X-Amz-Date=${stampOf(at)}`,
    `X-Amz-Expires=${request.expires ?? '60'}`,
    `X-Amz-SignedHeaders=${encodeURIComponent(names.join(';'))}`,
  ];
  const target = `${request.target}${request.target.includes('?') ? '&' : '?'}${parameters.join('&')}`;
  const all = { host: request.host, ...headers };
  const payloadHash = request.payloadHash ?? 'UNSIGNED-PAYLOAD';
  const { signature } = signatureOf({ ...request, target, method, headers: all, payloadHash, at, region, service });
  return `${target}&X-Amz-Signature=${signature}`;
}

export type RawAnswer = { readonly status: number; readonly code: string | undefined; readonly text: string };

/** Sends bytes as they are. @returns the first answer. */
export async function sendRaw(
  port: number,
  { method = 'GET', target, body = '' }: Pick<Unsigned, 'method' | 'target' | 'body'>,
  headers: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  const given = { 'content-length': String(Buffer.byteLength(body, 'latin1')), connection: 'close', ...headers };
  const lines = Object.entries(given).filter(([, value]) => value !== '');
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    'latin1',
  );
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  await new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), code: /<Code>(\w+)<\/Code>/.exec(text)?.[1], text };
}
