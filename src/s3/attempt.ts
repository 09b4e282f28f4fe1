import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Caller } from '../access/caller.ts';
import { slowBody } from '../access/invalid.ts';
import type { Origin } from '../audit/record.ts';
import type { Trail } from '../audit/trail.ts';
import { textBytes } from '../bounds/json-bytes.ts';
import { withDeadline } from '../bounds/deadline.ts';
import { cutOff, sendBytes, sendStream } from '../bounds/send-body.ts';
import { LeaveSignal } from '../bounds/stop-signal.ts';
import type { AnyOutput, Hold } from '../operation/operation.ts';
import type { Attempt } from '../operation/perform.ts';
import { bucketFault } from '../policy/model/name.ts';
import { XmlFault } from '../xml/text.ts';
import { readXml } from '../xml/xml.ts';
import type { S3Credentials } from './credentials.ts';
import { s3Fault } from './fault.ts';
import { Framing, Payload, readForm, type PayloadForm } from './payload.ts';
import type { S3Request } from './request.ts';
import type { Asked, S3Reply, S3Route } from './route.ts';
import { readSignature, type Verified } from './signature.ts';

/** The largest body in XML: a thousand keys, or ten thousand parts. */
const MAX_XML_BYTES = 2 * 2 ** 20;
/** What a body in XML holds stays in memory while its call waits for storage. */
const MAX_XML_ITEMS = 10_000;

/** The declaration of a document that is not in UTF-8. */
const OTHER_ENCODING = /^\uFEFF?<\?xml\s[^>]*?\bencoding\s*=\s*["'](?!utf-8["'])/i;

/** Objects never run scripts in the origin of the endpoint. */
const NO_SCRIPTS = ['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', 'sandbox'] as const;

export type S3AttemptParts = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly request: S3Request;
  readonly route: S3Route;
  readonly origin: Origin;
  readonly credentials: S3Credentials;
  readonly region: string;
  /** Milliseconds within which a body in XML has to arrive. */
  readonly bodyDeadlineMs: number;
};

/** A request for the operation of a call of S3. */
export class S3Attempt implements Attempt<void> {
  readonly #parts: S3AttemptParts;
  #signal: LeaveSignal | undefined;
  #verified: { readonly verified: Verified; readonly form: PayloadForm } | undefined;
  #provider = '';
  #asked: Asked | undefined;
  caller: Caller | undefined;

  constructor(parts: S3AttemptParts) {
    this.#parts = parts;
  }

  get origin(): Origin {
    return this.#parts.origin;
  }

  get signal(): LeaveSignal {
    return (this.#signal ??= new LeaveSignal(this.#parts.res));
  }

  /** Verifies the signature, and finds out whose key it is. @throws {SvcError} a fault of S3. */
  async identify(): Promise<Caller> {
    const { request, credentials } = this.#parts;
    const signed = readSignature(request, 's3', credentials.now());
    const { caller, provider, verified } = await credentials.verify(request, signed);
    this.#verified = { verified, form: readForm(request, signed.payloadHash) };
    this.#provider = provider;
    this.caller = caller;
    return caller;
  }

  /** The body, verified while it is read. */
  get body(): Readable {
    return new Payload(this.framing).from(this.#parts.req);
  }

  get raw(): Readable {
    return this.#parts.req;
  }

  get framing(): Framing {
    const { verified, form } = this.#verified!;
    return new Framing(form, verified);
  }

  get inputBytes(): number {
    return this.#parts.route.body === 'xml' ? Math.min(this.#verified?.form.size ?? 0, MAX_XML_BYTES) : 0;
  }

  async read(): Promise<object> {
    const { request, route, region } = this.#parts;
    const fault = request.bucket === undefined ? undefined : bucketFault(request.bucket);
    if (fault !== undefined) throw s3Fault('InvalidBucketName', fault);
    const asked = {
      request,
      region,
      place: { provider: this.#provider, bucket: request.bucket ?? '', key: request.key ?? '' },
      size: this.#verified!.form.size,
      caller: this.caller!,
      ...(route.body === 'xml' ? await this.#readXml() : { xml: undefined, text: '' }),
    };
    const input = route.input(asked);
    // A body may have elements that no call takes, which hold several times its bytes.
    this.#asked = { ...asked, xml: asked.xml && { ...asked.xml, items: [] }, text: '' };
    return input;
  }

  async #readXml(): Promise<Pick<Asked, 'xml' | 'text'>> {
    const { size } = this.#verified!.form;
    if (size > MAX_XML_BYTES) throw s3Fault('MalformedXML', `a body in XML has at most ${MAX_XML_BYTES} bytes`);
    const { bodyDeadlineMs } = this.#parts;
    const body = await withDeadline(buffer(this.body), bodyDeadlineMs, () => slowBody(bodyDeadlineMs));
    const text = body.toString('utf8');
    // Read as UTF-8, its keys would be other ones than the client means.
    if (!isUtf8(body) || OTHER_ENCODING.test(text)) throw s3Fault('MalformedXML', 'the body is not in UTF-8');
    try {
      const xml = text === '' ? undefined : await readXml(text, MAX_XML_ITEMS);
      return { xml, text };
    } catch (error) {
      throw error instanceof XmlFault ? s3Fault('MalformedXML', `the body is not XML: ${error.message}`) : error;
    }
  }

  locate(member: readonly string[]): readonly string[] {
    return member;
  }

  /** Not asynchronous: it would keep the output in memory while the client reads the answer. */
  answer(output: AnyOutput, trail: Trail, hold: Hold): Promise<void> {
    const reply = this.#reply(output, this.#parts.route);
    const { body } = reply;
    if (Buffer.isBuffer(body)) trail.moved(body.length);
    else body?.on('data', (chunk: Buffer) => trail.moved(chunk.length));
    return this.#send(reply, hold).then((isSent) => {
      if (!isSent) trail.failed('client_gone');
    });
  }

  #send(reply: S3Reply, hold: Hold): Promise<boolean> {
    const { req, res, origin } = this.#parts;
    const sent = (whole: S3Reply): Promise<boolean> | boolean =>
      send(res, req.method === 'HEAD', whole, origin.requestId);
    if (reply.xml === undefined) return Promise.resolve(sent(reply));
    const whole = bodyOf(reply);
    return Promise.resolve(hold(whole.body.length)).then(() => sent(whole));
  }

  /** A body of storage that is not passed on is dropped, because it would keep its connection. */
  #reply(output: AnyOutput, route: S3Route): S3Reply {
    try {
      return route.answer(output as never, this.#asked!);
    } catch (error) {
      if ('body' in output && output.body instanceof Readable) output.body.destroy();
      throw error;
    }
  }

  cut(): void {
    cutOff(this.#parts.res);
  }
}

/** The reply with its XML as a body. */
function bodyOf({ status = 200, headers, xml = '' }: S3Reply): S3Reply & { readonly body: Buffer } {
  const body = textBytes(typeof xml === 'string' ? [xml] : xml);
  return { status, headers: { ...headers, 'Content-Type': 'application/xml' }, body };
}

/** @returns false when the client disconnected before the end. */
export function send(
  res: ServerResponse,
  isHead: boolean,
  reply: S3Reply,
  requestId: string,
): Promise<boolean> | boolean {
  const { status = 200, headers = {}, body: content } = reply.xml === undefined ? reply : bodyOf(reply);
  const all: string[] = ['x-amz-request-id', requestId, 'Server', 'svc', ...NO_SCRIPTS];
  for (const name in headers) all.push(name, headers[name]!);
  // A head alone keeps the length of its object.
  if (Buffer.isBuffer(content) && headers['content-length'] === undefined)
    all.push('Content-Length', String(content.length));
  if (content === undefined && status !== 204 && status !== 304 && headers['content-length'] === undefined)
    all.push('Content-Length', '0');
  const sendHead = (): void => void res.writeHead(status, all);
  if (isHead || content === undefined) {
    if (content !== undefined && !Buffer.isBuffer(content)) content.destroy();
    sendHead();
    res.end();
    return true;
  }
  return Buffer.isBuffer(content) ? sendBytes(res, content, sendHead) : sendStream(res, content, sendHead);
}
