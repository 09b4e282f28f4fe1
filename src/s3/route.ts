import type { Readable } from 'node:stream';
import type { Caller } from '../access/caller.ts';
import type { AnyOperation, Operation, Output } from '../operation/operation.ts';
import type { OperationInput, OperationName } from '../wire/operations.ts';
import type { XmlAnswer } from '../xml/xml.ts';
import { isChecksum } from './checksum.ts';
import { s3Fault } from './fault.ts';
import type { S3Request } from './request.ts';

/** What a call is about, beside its request: the provider of the S3 key, and the body where the call has one in XML. */
export type Place = { readonly provider: string; readonly bucket: string; readonly key: string };
export type Asked = {
  readonly request: S3Request;
  readonly place: Place;
  /** Bytes of the body, without the framing of chunks. */
  readonly size: number;
  /** Without its items when the call is answered. */
  readonly xml: XmlAnswer | undefined;
  /** The same body as it was sent; empty when the call is answered. */
  readonly text: string;
  readonly caller: Caller;
  readonly region: string;
};

export type S3Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body in XML, or the parts of a long one. */
  readonly xml?: string | readonly string[];
  readonly body?: Buffer | Readable | undefined;
};

export type Level = 'service' | 'bucket' | 'object';

/** One call of S3, as this face maps it to an operation. */
export type S3Route = {
  /** S3's name, such as `GetObject`. */
  readonly name: string;
  readonly method: string;
  readonly level: Level;
  /** Parameters of the query that choose the call, with or without a value. */
  readonly selectedBy: readonly string[];
  /** A header that chooses the call. */
  readonly selectedByHeader: string | undefined;
  /** Further parameters that it takes. */
  readonly parameters: readonly string[];
  /** The `x-amz-` headers that it takes; one that ends with `-` stands for all that begin so. */
  readonly headers: readonly string[];
  readonly body: 'none' | 'stream' | 'xml';
  /** Whether checksums are of the object, and not of the body. They are refused, because the service does not see the whole object. */
  readonly hasChecksumOfObject: boolean;
  readonly operation: AnyOperation;
  readonly input: (asked: Asked) => object;
  readonly answer: (output: never, asked: Asked) => S3Reply;
};

export type RouteParts<N extends OperationName> = Partial<
  Pick<S3Route, 'selectedBy' | 'selectedByHeader' | 'parameters' | 'headers' | 'body' | 'hasChecksumOfObject'>
> & {
  readonly operation: Operation<N>;
  /** Members that are undefined count as left out. */
  readonly input: (asked: Asked) => { readonly [M in keyof OperationInput<N>]: OperationInput<N>[M] | undefined };
  readonly answer: (output: Output<N>, asked: Asked) => S3Reply;
};

/** @param at - the method and the level, such as `GET object`. */
export function route<N extends OperationName>(
  name: string,
  at: `${string} ${Level}`,
  { operation, ...parts }: RouteParts<N>,
): S3Route {
  const [method, level] = at.split(' ') as [string, Level];
  return {
    selectedBy: [],
    selectedByHeader: undefined,
    parameters: [],
    headers: [],
    body: 'none',
    hasChecksumOfObject: false,
    ...parts,
    name,
    method,
    level,
    operation: operation as unknown as AnyOperation,
    answer: parts.answer,
  };
}

/** Headers that every call may have: they sign and describe the request, and change nothing that is stored. */
const SIGNING: readonly string[] = [
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-user-agent',
  'x-amz-request-payer',
  'x-amz-te',
];
/** Headers that describe a body, which is verified by them. */
const DESCRIBING: readonly string[] = [
  'x-amz-checksum-',
  'x-amz-decoded-content-length',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-trailer',
];
const SIGNING_PARAMETER =
  /^(?:X-Amz-(?:Algorithm|Credential|Date|Expires|SignedHeaders|Signature|Security-Token)|x-id)$/;

/**
 * The call that a request is. A parameter or header that the call does not take is refused, because it could change what the client expects.
 *
 * @throws {SvcError} `NotImplemented`, `MethodNotAllowed`.
 */
export function routeOf(request: S3Request, routes: readonly S3Route[]): S3Route {
  const level = request.bucket === undefined ? 'service' : request.key === undefined ? 'bucket' : 'object';
  const chosen = routes
    .filter((each) => each.level === level && each.method === request.method)
    .filter(
      ({ selectedBy, selectedByHeader }) =>
        selectedBy.every((name) => request.query.has(name)) &&
        (selectedByHeader === undefined || request.header(selectedByHeader) !== undefined),
    )
    .sort((a, b) => weightOf(b) - weightOf(a))[0];
  if (chosen === undefined) {
    if (routes.some(({ method }) => method === request.method))
      throw s3Fault('NotImplemented', `the service does not implement this call (${request.method} of the ${level})`);
    throw s3Fault('MethodNotAllowed', 'the service has no call with this method');
  }
  refuseOthers(request, chosen);
  return chosen;
}

function weightOf({ selectedBy, selectedByHeader }: S3Route): number {
  return selectedBy.length + (selectedByHeader === undefined ? 0 : 1);
}

function refuseOthers(request: S3Request, route: S3Route): void {
  const { name, selectedBy, parameters, headers, body, hasChecksumOfObject } = route;
  const taken = [...SIGNING, ...headers, ...(body === 'none' ? [] : DESCRIBING)];
  const isTaken = (header: string): boolean =>
    !(hasChecksumOfObject && isChecksum(header)) &&
    taken.some((each) => (each.endsWith('-') ? header.startsWith(each) : header === each));
  const refuse = (what: string): Error =>
    s3Fault('NotImplemented', `${name} with \`${what}\` is not implemented; nothing was done`);
  for (const header of request.headerNames()) if (header.startsWith('x-amz-') && !isTaken(header)) throw refuse(header);
  for (const parameter of request.query.keys()) {
    if (selectedBy.includes(parameter) || parameters.includes(parameter) || SIGNING_PARAMETER.test(parameter)) continue;
    const asHeader = parameter.toLowerCase();
    if (!(request.isQuerySigned && asHeader.startsWith('x-amz-') && isTaken(asHeader))) throw refuse(parameter);
  }
}
