import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { problem } from '../wire/problem.ts';
import type { WireSchema } from '../wire/schema.ts';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document of the rows. JSON Schema 2020-12 is its schema language, so the wire schemas stand in it as they are. */
export function openapiOf(rows: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const row of rows) {
    const path = row.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[row.method] = operationOf(row);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      description: 'Browse S3-compatible object storage, with every request decided by policy. Errors are problem documents (RFC 9457); tell them apart by `code`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: './..' , description: 'This service' }],
    security: [{ session: [] }, { bearer: [] }],
    tags: [...new Set(rows.map((row) => row.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'svc_session', description: 'Set by signing in.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'The session credential of a desktop sign-in, or on `/rpc` an API key.' },
      },
      schemas: { Problem: problem },
    },
  };
}

function operationOf(row: Route): Json {
  const parameters = [...parametersOf(row.params, 'path'), ...parametersOf(row.query, 'query')];
  return {
    tags: [row.tag],
    operationId: operationIdOf(row),
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    ...(row.access.kind === 'open' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(row),
    responses: responsesOf(row),
  };
}

/** `get /api/providers/:provider/buckets` becomes `getApiProvidersProviderBuckets`: stable as long as the path is. */
function operationIdOf(row: Route): string {
  const words = row.path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return row.method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(schema: WireSchema | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: readonly string[] };
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: type,
  }));
}

function requestBodyOf(row: Route): Json {
  if (row.body === undefined) return {};
  if (row.body === 'stream') return { requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } } };
  return { requestBody: { required: true, content: { [row.bodyType]: { schema: row.body } } } };
}

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

/** What the row says of itself, and beside it the problems that any row of its kind can answer. */
function responsesOf(row: Route): Json {
  const responses: Record<string, Json> = {};
  for (const [status, { description, schema, mediaType }] of Object.entries(row.responses)) {
    const type = mediaType ?? (schema === undefined ? undefined : 'application/json');
    const content = type === undefined ? (Number(status) >= 400 ? PROBLEM : undefined) : { [type]: { schema: schema ?? {} } };
    responses[status] = { description, ...(content === undefined ? {} : { content }) };
  }
  for (const [status, codes] of Map.groupBy(codesOf(row), (code) => catalogue[code].status)) {
    const named = codes.map((code) => `\`${code}\``).join(', ');
    const own = responses[status];
    responses[status] = own === undefined ? { description: named, content: PROBLEM } : { ...own, description: `${String(own['description'])} Also: ${named}.` };
  }
  return responses;
}

/** What the guard can answer, by the row's access, and what is behind it. */
function codesOf({ access, method, params, query, body, limit }: Route): ErrorCode[] {
  const codes: ErrorCode[] = ['internal'];
  if (params !== undefined || query !== undefined || body !== undefined) codes.push('invalid_request');
  if (typeof body === 'object') codes.push('payload_too_large', 'unsupported_media_type');
  if (limit === 'sign-in') codes.push('rate_limited');
  if (access.kind === 'open') return codes;
  codes.push('session_required', 'session_store_unavailable');
  if (access.kind === 'admin') codes.push('admin_required');
  if (method !== 'get') codes.push('origin_mismatch');
  if (params === undefined || (access.kind !== 'asks' && access.kind !== 'each')) return codes;
  // A listing is empty where nothing is allowed.
  if (access.kind === 'asks' || method !== 'get') codes.push('access_denied');
  return [...codes, 'not_found', 'storage_unavailable', 'storage_timeout'];
}
