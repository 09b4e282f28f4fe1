import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import { problem } from '../../wire/problem.ts';
import type { Route } from '../routing/route.ts';
import { headersOf } from './headers.ts';
import type { Json } from '../../wire/json.ts';

const CODES = Object.keys(catalogue) as ErrorCode[];

/** The schema of problem documents, with every possible code. */
export const PROBLEM = {
  ...problem,
  properties: { ...problem.properties, code: { ...problem.properties.code, enum: CODES } },
};

/** One example for each code, by code. */
export function problemExamples(): Record<string, Json> {
  return Object.fromEntries(
    CODES.map((code) => {
      const { status, title } = catalogue[code];
      return [
        code,
        {
          summary: title,
          value: {
            type: `urn:svc:problem:${code}`,
            title,
            status,
            code,
            request_id: '4f1f2a3e-8b5c-4d0e-9a57-0c8f7b6a1d2e',
          },
        },
      ];
    }),
  );
}

export type Refusal = { readonly status: number; readonly codes: readonly ErrorCode[] };

/** The problems of a row by status: those of the guard for the row's access, those of storage, and those that the row names. */
export function refusalsOf(row: Route): Refusal[] {
  const codes = new Set<ErrorCode>([
    ...guardCodes(row),
    ...(row.problems ?? []),
    'method_not_allowed',
    'origin_mismatch',
    'rate_limited',
    'internal',
    'audit_unavailable',
  ]);
  return Array.from(
    Map.groupBy(codes, (code) => catalogue[code].status),
    ([status, ofStatus]) => ({ status, codes: ofStatus }),
  );
}

function guardCodes({ access, method, params, query, documents, body }: Route): ErrorCode[] {
  const codes: ErrorCode[] = [];
  if (params !== undefined || query !== undefined || documents !== undefined || body !== undefined)
    codes.push('invalid_request');
  if (typeof body === 'object') codes.push('payload_too_large', 'unsupported_media_type');
  if (access.kind === 'open') return codes;
  codes.push('session_required', 'session_store_unavailable');
  if (typeof body === 'object') codes.push('rate_limited', 'overloaded');
  if (access.kind === 'admin') codes.push('admin_required');
  if (params === undefined || access.kind !== 'policy') return codes;
  // A listing never answers 403: it is empty when nothing is allowed.
  if (access.each === undefined || method !== 'get') codes.push('access_denied');
  return [...codes, 'not_found', 'storage_unavailable', 'storage_timeout'];
}

/** A response with a single code is a reference to the component of that code. */
export function refusalReference(refusal: Refusal): Json {
  const [only, ...more] = refusal.codes;
  return only === undefined || more.length > 0 ? refusalResponse(refusal) : { $ref: `#/components/responses/${only}` };
}

export function refusalResponses(): Record<string, Json> {
  return Object.fromEntries(
    CODES.map((code) => [code, refusalResponse({ status: catalogue[code].status, codes: [code] })]),
  );
}

export function refusalResponse({ status, codes }: Refusal): Json {
  return { description: named(codes), headers: headersOf(status), content: problemContent(codes) };
}

export function named(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

/** A problem document with an example for each code. */
export function problemContent(codes: readonly ErrorCode[]): Json {
  return {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  };
}
