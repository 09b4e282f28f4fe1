import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openapiOf } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/http/routing/route.ts';

type Ref = { readonly $ref?: string };
type ResponseDoc = Ref & {
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Readonly<
    Record<string, { readonly schema: object; readonly examples?: Readonly<Record<string, unknown>> }>
  >;
};
type Operation = { readonly responses: Readonly<Record<string, ResponseDoc>> };
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** One answer as the client gets it. */
type Answer = {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
};

/** Headers that a client may only rely on where the document names them. */
const TOLD = [
  'allow',
  'location',
  'set-cookie',
  'retry-after',
  'etag',
  'last-modified',
  'content-range',
  'accept-ranges',
  'content-disposition',
];

/** Compares answers with an OpenAPI document. */
export class DocumentedAnswers {
  readonly #document: Document;
  // That its schemas are schemas is a test of the document's own. To look again takes longer than all else here.
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #templates: readonly { readonly template: string; readonly pattern: RegExp }[];

  constructor(document: Record<string, unknown>) {
    this.#document = document as Document;
    this.#ajv.addSchema({ ...document, $id: 'document' });
    this.#templates = Object.keys(this.#document.paths).map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
  }

  /** The path of the document that a request path belongs to. */
  templateOf(path: string): string | undefined {
    return this.#templates.find(({ pattern }) => pattern.test(path))?.template;
  }

  /** What is not as the document says; undefined when all is. */
  faultOf({ method, path, status, headers, body }: Answer): string | undefined {
    const template = this.templateOf(path);
    if (template === undefined)
      return status === 404 || status === 401 ? undefined : `${status} on a path that is not in the document`;
    const operations = this.#document.paths[template] ?? {};
    // Another method is refused as every operation of the path says.
    const name = method.toLowerCase() in operations ? method.toLowerCase() : Object.keys(operations)[0]!;
    if (name !== method.toLowerCase() && status < 400) return `${status}, and the document has no ${method} here`;
    const at = `#/paths/${escaped(template)}/${name}/responses/${status}`;
    const response = this.#resolve(at) as ResponseDoc | undefined;
    if (response === undefined)
      return `${status} is not documented; name it in the \`${status < 400 ? 'answers' : 'problems'}\` of the row`;
    return (
      this.#headerFault(response, headers) ??
      (method === 'HEAD' || name === 'head' ? undefined : this.#bodyFault(response, this.#pointerOf(at), headers, body))
    );
  }

  #headerFault(response: ResponseDoc, headers: OutgoingHttpHeaders): string | undefined {
    const documented = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    const untold = TOLD.find((name) => headers[name] !== undefined && !documented.includes(name));
    if (untold !== undefined) return `the header ${untold} is not documented`;
    const missing = Object.entries(response.headers ?? {}).find(
      ([name, header]) =>
        (this.#resolve(header.$ref ?? '') as { required?: boolean } | undefined)?.required === true &&
        headers[name.toLowerCase()] === undefined,
    );
    return missing === undefined ? undefined : `the header ${missing[0]} is missing`;
  }

  #bodyFault(
    { content }: ResponseDoc,
    pointer: string,
    headers: OutgoingHttpHeaders,
    body: string,
  ): string | undefined {
    const type = (headers['content-type'] ?? '').split(';')[0]!.trim();
    if (content === undefined) return body === '' ? undefined : 'no body is documented';
    const range = type in content ? type : '*/*';
    const media = content[range];
    if (media === undefined) return `the type \`${type}\` is not documented`;
    if (!range.endsWith('json')) return undefined;
    const validate = this.#validatorOf(`document${pointer}/content/${escaped(range)}/schema`);
    if (range === 'application/x-ndjson')
      return body
        .split('\n')
        .slice(0, -1)
        .flatMap((line) =>
          validate(JSON.parse(line)) ? [] : [`${this.#ajv.errorsText(validate.errors)} in ${line.slice(0, 300)}`],
        )[0];
    const value = JSON.parse(body) as { code?: string };
    if (!validate(value)) return `${this.#ajv.errorsText(validate.errors)} in ${body.slice(0, 300)}`;
    return range === 'application/problem+json' && media.examples !== undefined && !(value.code! in media.examples)
      ? `the code \`${String(value.code)}\` is not documented; name it in the \`problems\` of the row`
      : undefined;
  }

  /** Compiled once for each schema: suites ask ten thousand times. */
  #validatorOf($ref: string): ValidateFunction {
    let validate = this.#validators.get($ref);
    if (validate === undefined) this.#validators.set($ref, (validate = this.#ajv.compile({ $ref })));
    return validate;
  }

  #pointerOf(pointer: string): string {
    const found = this.#at(pointer) as Ref | undefined;
    return found?.$ref === undefined ? pointer : this.#pointerOf(found.$ref);
  }

  #resolve(pointer: string): unknown {
    return this.#at(this.#pointerOf(pointer));
  }

  #at(pointer: string): unknown {
    let value: unknown = this.#document;
    for (const part of pointer.split('/').slice(1))
      value = (value as Record<string, unknown> | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    return value;
  }
}

function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

export type Watch = {
  /** `METHOD template status` of every answer so far. */
  readonly seen: ReadonlySet<string>;
  /** Stops. @throws {Error} when an answer was not as the document says. */
  stop(): void;
};

type Started = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly socket: Socket };

/** The comparison for services with the same rows, whose schemas are compiled once. */
const known = new Map<string, DocumentedAnswers>();

function answersOf(rows: readonly Route[]): DocumentedAnswers {
  const names = rows.map(({ method, path }) => `${method} ${path}`).join();
  let answers = known.get(names);
  if (answers === undefined) known.set(names, (answers = new DocumentedAnswers(openapiOf(rows, '0.0.0-test'))));
  return answers;
}

/** Compares every answer that a server of this process gives on a port with the document of its rows, whoever asks. */
export function watchAnswers(
  port: number,
  basePath: string,
  rows: readonly Route[],
  onAnswer?: (answer: string, fault?: string) => void,
): Watch {
  const answers = answersOf(rows);
  const seen = new Set<string>();
  const faults = new Set<string>();
  const onStart = (message: unknown): void => {
    const { request, response, socket } = message as Started;
    if (socket.localPort !== port) return;
    const body = copyOfBody(response);
    const listed = listedHeaders(response);
    const url = request.url ?? '';
    // What was cut off is no answer.
    response.once('finish', () => {
      const path = (basePath !== '' && url.startsWith(basePath) ? url.slice(basePath.length) : url).split('?')[0]!;
      if (!/^\/(?:api|v1|rpc)(?:\/|$)/.test(path) || path.startsWith('/api/docs')) return;
      const headers = { ...response.getHeaders(), ...listed() };
      const answer = {
        method: request.method ?? '',
        path,
        status: response.statusCode,
        headers,
        body: decoded(body(), headers).toString(),
      };
      const name = `${answer.method} ${answers.templateOf(path) ?? path} ${answer.status}`;
      seen.add(name);
      const why = answers.faultOf(answer);
      const fault = why === undefined ? undefined : `${answer.method} ${path}: ${why}`;
      if (fault !== undefined) faults.add(fault);
      onAnswer?.(name, fault);
    });
  };
  subscribe('http.server.request.start', onStart);
  return {
    seen,
    stop: () => {
      unsubscribe('http.server.request.start', onStart);
      failUnlessDocumented(faults);
    },
  };
}

/** @throws {Error} when there are faults of answers. */
export function failUnlessDocumented(faults: Iterable<string>): void {
  const all = [...new Set(faults)].join('\n');
  if (all !== '') throw new Error(`answers that are not as the OpenAPI document says:\n${all}`);
}

/** Keeps the headers that `writeHead` gets as a list of names and values; the response itself does not. */
function listedHeaders(response: ServerResponse): () => OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    const list = args.find((each) => Array.isArray(each)) as readonly string[] | undefined;
    for (let at = 0; at < (list?.length ?? 0); at += 2) headers[list![at]!.toLowerCase()] = list![at + 1]!;
    return writeHead(...args);
  };
  return () => headers;
}

const COPIED_BYTES = 4 * 1_048_576;

/** Keeps the beginning of what is written, as far as JSON answers reach. */
function copyOfBody(response: ServerResponse): () => Buffer {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: unknown): void => {
    if ((typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) || bytes > COPIED_BYTES) return;
    const copy = Buffer.from(chunk);
    bytes += copy.length;
    chunks.push(copy);
  };
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...args: unknown[]) => never;
    response[name] = ((...args: unknown[]) => {
      keep(args[0]);
      return original(...args);
    }) as never;
  }
  return () => Buffer.concat(chunks);
}

/** An object that is stored compressed may be sent in part, or without its bytes. */
function decoded(body: Buffer, headers: OutgoingHttpHeaders): Buffer {
  const encoding = String(headers['content-type']).includes('json') && headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : body;
}
