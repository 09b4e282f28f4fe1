import type { IncomingMessage } from 'node:http';
import { invalidRequest, refuseFaults, type Fault } from '../../access/invalid.ts';
import { SvcError } from '../../errors/svc-error.ts';
import { shapes } from '../../wire/operations.ts';
import type { Call } from './call.ts';
import { snakeCase } from './member-names.ts';
import type { Row } from './row.ts';

type Source = 'path' | 'query' | 'header' | 'body';
/** A member of the input. `wire` is its name in the request, `type` the type in its schema. */
export type Member = { readonly name: string; readonly source: Source; readonly wire: string; readonly type: unknown };

/** How many characters of an unknown name a message repeats. */
const MAX_NAME_CHARACTERS = 100;

const CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'] as const;

/** Reads the input of a row's operation from a request, and knows from which part of the request each member comes. */
export class RowInput {
  readonly members: readonly Member[];
  readonly #row: Row;
  readonly #inQuery: ReadonlySet<string>;
  readonly #inBody: ReadonlySet<string>;

  constructor(row: Row) {
    this.#row = row;
    this.members = membersOf(row);
    const names = (source: Source) =>
      new Set(this.members.filter((member) => member.source === source).map(({ wire }) => wire));
    this.#inQuery = names('query');
    this.#inBody = names('body');
  }

  /** @throws {SvcError} `invalid_request`: the query or the body has an unknown member, or lacks one that the row needs. */
  of(call: Call): Record<string, unknown> {
    const { req, params } = call;
    // A row without query members ignores the query, even an unreadable one.
    const query = this.#inQuery.size > 0 ? call.readQuery() : {};
    const sent: Record<Source, Readonly<Record<string, unknown>>> = {
      path: params,
      query,
      header: req.headers,
      body: this.#bodyOf(req),
    };
    refuseUnknown('query', query, this.#inQuery);
    refuseUnknown('body', sent.body, this.#inBody);
    if (this.#row.method !== 'get') this.#refuseConditions(req);
    const input: Record<string, unknown> = {};
    for (const { name, source, wire, type } of this.members) {
      const value = Object.hasOwn(sent[source], wire) ? sent[source][wire] : undefined;
      if (value !== undefined) input[name] = source === 'body' ? value : fromText(value, type);
      else if (this.#row.needs?.includes(name) === true)
        throw invalidRequest({ path: source, message: `\`${wire}\` is missing` });
    }
    const { ifNoneMatch } = input;
    if (typeof ifNoneMatch === 'string' && this.#row.headers?.['ifNoneMatch'] === 'If-None-Match: *')
      input['ifNoneMatch'] = mustNotExist(ifNoneMatch);
    return Object.assign(input, this.#row.read?.(req));
  }

  /** Converts the path of a member: `['limit']` of the input is `query.limit` of the request. */
  locate([first, ...rest]: readonly string[]): string[] {
    const member = this.members.find(({ name }) => name === first);
    return member === undefined ? ['body'] : [member.source, member.wire, ...rest];
  }

  /** Refuses unsupported conditions. A client that sends a condition relies on nothing being changed when it does not hold. */
  #refuseConditions({ headers }: IncomingMessage): void {
    const unknown = CONDITIONS.filter(
      (name) =>
        headers[name] !== undefined && !this.members.some(({ source, wire }) => source === 'header' && wire === name),
    );
    refuseFaults(
      unknown.map((name) => ({
        path: `header.${name}`,
        message: 'is not supported on a request that changes something',
      })),
    );
  }

  #bodyOf(req: IncomingMessage & { readonly body?: unknown }): Record<string, unknown> {
    if (this.#row.body === undefined || this.#row.body === 'stream') return {};
    const { body } = req;
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw invalidRequest({ path: 'body', message: 'must be object' });
    return body as Record<string, unknown>;
  }
}

function membersOf({ path, query = [], headers = {}, body, operation }: Row): Member[] {
  const { properties } = shapes[operation.name].input as unknown as {
    readonly properties: Readonly<Record<string, { readonly type?: unknown }>>;
  };
  const wireName = path.startsWith('/api/') ? snakeCase : (name: string) => name;
  const member = (name: string, source: Source, wire: string): Member => ({
    name,
    source,
    wire,
    type: properties[name]?.type,
  });
  return [
    ...Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => member(name, 'path', name)),
    ...query.map((name) => member(name, 'query', wireName(name))),
    ...Object.entries(headers).map(([name, header]) => member(name, 'header', header.replace(/:.*/, '').toLowerCase())),
    ...(body === undefined || body === 'stream' ? [] : body.map((name) => member(name, 'body', wireName(name)))),
  ];
}

function refuseUnknown(part: 'query' | 'body', sent: Record<string, unknown>, known: ReadonlySet<string>): void {
  const name = Object.keys(sent).find((sentName) => !known.has(sentName));
  if (name === undefined) return;
  const fault: Fault = { path: part, message: `\`${name.slice(0, MAX_NAME_CHARACTERS)}\` is not known here` };
  throw invalidRequest(fault);
}

/** Text that is no value of the type stays text, and the schema refuses it. */
function fromText(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

/** `If-None-Match: *`: refuses to overwrite. */
function mustNotExist(header: string): string {
  if (header.trim() === '*') return '*';
  throw new SvcError('invalid_request', { detail: 'only `If-None-Match: *` is understood on a write' });
}
