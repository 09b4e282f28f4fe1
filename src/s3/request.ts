import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { signedValueOf } from '../sigv4/sigv4.ts';
import { s3Fault } from './fault.ts';

/** A request to this face, as it was sent. Nothing is normalised: `path` and the values of headers are the bytes that the client signed. */
export class S3Request {
  readonly method: string;
  /** The path as it was sent, encoded. */
  readonly path: string;
  /** The members of the query, decoded. */
  readonly query: ReadonlyMap<string, string>;
  readonly #headers: ReadonlyMap<string, readonly string[]>;
  /** The bucket and the key, decoded once; undefined where the path ends before them. */
  readonly bucket: string | undefined;
  readonly key: string | undefined;

  /**
   * @param endpointHost - the host of `public_endpoint`, whose subdomains are buckets.
   * @throws {SvcError} `InvalidURI`, `InvalidArgument`, `InvalidRequest`.
   */
  constructor(req: IncomingMessage, endpointHost: string) {
    this.method = req.method ?? '';
    const { url = '' } = req;
    const at = url.indexOf('?');
    this.path = at === -1 ? url : url.slice(0, at);
    if (!/^\/[!-~]*$/.test(this.path) || this.path.includes('#'))
      throw s3Fault('InvalidURI', 'the target of the request is no path; encode it');
    this.query = membersOf(at === -1 ? '' : url.slice(at + 1));
    this.#headers = headersOf(req.rawHeaders);
    const place = placeOf(this.path, bucketOfHost(this.signedHeader('host') ?? '', endpointHost));
    this.bucket = place.bucket;
    this.key = place.key;
  }

  headerNames(): Iterable<string> {
    return this.#headers.keys();
  }

  /** The names of the headers and, in a request that is signed in its query, of the parameters that stand for headers; in lower case. */
  fieldNames(): ReadonlySet<string> {
    const parameters = this.isQuerySigned ? Array.from(this.query.keys(), (name) => name.toLowerCase()) : [];
    return new Set([...this.#headers.keys(), ...parameters.filter((name) => name.startsWith('x-amz-'))]);
  }

  /** The value of a header as it is signed: several values are joined, and blanks are one. The text has one character for each byte. */
  signedHeader(name: string): string | undefined {
    return this.#headers.get(name)?.map(signedValueOf).join(',');
  }

  /**
   * A header, or in a request that is signed in its query the parameter of this name. The text is UTF-8.
   *
   * @throws {SvcError} `InvalidArgument`: the header is there more than once, or is no UTF-8.
   */
  header(name: string): string | undefined {
    const values = this.#headers.get(name);
    if (values === undefined)
      return this.isQuerySigned && name.startsWith('x-amz-') ? this.#parameter(name) : undefined;
    if (values.length > 1) throw s3Fault('InvalidArgument', `the header \`${name}\` is there more than once`);
    const bytes = Buffer.from(values[0]!, 'latin1');
    if (!isUtf8(bytes)) throw s3Fault('InvalidArgument', `the header \`${name}\` is no UTF-8`);
    // Only these are not a part of the value. Blanks of other scripts are. The search begins at the first of several, because one from each would take seconds.
    return bytes.toString('utf8').replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
  }

  get isQuerySigned(): boolean {
    return this.query.has('X-Amz-Algorithm') || this.query.has('X-Amz-Signature');
  }

  #parameter(name: string): string | undefined {
    return [...this.query].find(([each]) => each.toLowerCase() === name)?.[1];
  }
}

/** Reads a query. A parameter that is there twice is refused, because client and service could mean different ones. */
function membersOf(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const member of text.split('&')) {
    if (member === '') continue;
    const [name, value = ''] = member.replaceAll('+', ' ').split(/=(.*)/s).map(decode) as [string, string?];
    if (members.has(name)) throw s3Fault('InvalidArgument', 'a parameter of the query is there twice');
    members.set(name, value);
  }
  return members;
}

function headersOf(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [raw[i + 1]!]);
    else values.push(raw[i + 1]!);
  }
  return headers;
}

/** The bucket that is named by the host (virtual-host style); undefined when the path names it. */
function bucketOfHost(host: string, endpointHost: string): string | undefined {
  const name = hostnameOf(host);
  const end = `.${hostnameOf(endpointHost)}`;
  return name.endsWith(end) ? name.slice(0, -end.length) : undefined;
}

/** Without its port and a final dot, so that no spelling of the host is another place. */
function hostnameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

function placeOf(
  path: string,
  hostBucket: string | undefined,
): { bucket: string | undefined; key: string | undefined } {
  const rest = path.slice(1);
  if (hostBucket !== undefined) return { bucket: hostBucket, key: rest === '' ? undefined : decode(rest) };
  const at = rest.indexOf('/');
  const bucket = at === -1 ? rest : rest.slice(0, at);
  if (bucket === '') {
    if (rest !== '') throw s3Fault('InvalidURI', 'the path has a key without a bucket');
    return { bucket: undefined, key: undefined };
  }
  const key = at === -1 ? '' : rest.slice(at + 1);
  return { bucket: decode(bucket), key: key === '' ? undefined : decode(key) };
}

/** @throws {SvcError} `InvalidURI`: it is no UTF-8 when it is decoded. */
export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw s3Fault('InvalidURI', 'the target of the request is not encoded UTF-8');
  }
}
