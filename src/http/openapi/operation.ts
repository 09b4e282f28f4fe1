import type { WireSchema } from '../../wire/schema.ts';
import { hasErrorPage, type ResponseDoc, type Route } from '../routing/route.ts';
import { exampleOf } from '../../wire/example.ts';
import { MUST_NOT_EXIST, REQUEST_HEADERS, type RequestHeader } from '../routing/documented-headers.ts';
import { headersOf } from './headers.ts';
import type { Json } from '../../wire/json.ts';
import { capitalized, type NamedSchemas } from '../../wire/named-schemas.ts';
import { named, problemContent, refusalReference, refusalResponse, refusalsOf } from './problems.ts';

/** Parameters and responses of ranges, which HEAD ignores. */
const OF_RANGES: ReadonlySet<string> = new Set(['Range', 'If-Range', '206', '416']);
const PAGE = { 'text/html': { schema: { type: 'string' }, example: '<!doctype html><title>Sign in again</title>' } };

/** The OpenAPI operation of a row. */
export function operationOf(row: Route, schemas: NamedSchemas): Json {
  return {
    ...sharedOf(row, schemas, row.method),
    ...requestBodyOf(row, schemas),
    responses: responsesOf(row, schemas),
  };
}

/** The HEAD operation of a GET row: the same answer without its body. */
export function headOperationOf(row: Route, schemas: NamedSchemas): Json {
  const shared = sharedOf(row, schemas, 'head');
  const parameters = (shared['parameters'] as { readonly name: string }[]).filter(({ name }) => !OF_RANGES.has(name));
  const responses = Object.entries(responsesOf(row, schemas))
    .filter(([status]) => !OF_RANGES.has(status))
    .map(([status, { content: _content, ...response }]) => [status, response]);
  return {
    ...shared,
    summary: `${row.summary}: the headers alone`,
    parameters,
    responses: Object.fromEntries(responses) as Json,
  };
}

function sharedOf(row: Route, schemas: NamedSchemas, method: string): Json {
  return {
    tags: [row.tag],
    operationId: operationIdOf(method, row.path),
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    ...(row.access.kind === 'open' ? { security: [] } : {}),
    parameters: [
      ...parametersOf(row.params, 'path', schemas),
      ...parametersOf(row.documents?.query ?? row.query, 'query', schemas),
      ...(row.requestHeaders ?? []).map(headerParameter),
    ],
  };
}

/** The id of an operation: `get /api/providers/:provider/buckets` becomes `getApiProvidersProviderBuckets`. It changes only when the path does. */
export function operationIdOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return method + words.map(capitalized).join('');
}

function parametersOf(schema: WireSchema | undefined, place: 'path' | 'query', schemas: NamedSchemas): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = schemas.refer(property);
    const text = description ?? property['description'];
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(text === undefined ? {} : { description: text }),
      schema,
      example: exampleOf(property, name),
    };
  });
}

function headerParameter(name: RequestHeader | 'If-None-Match: *'): Json {
  const { description, example, schema } =
    name === 'If-None-Match: *' ? MUST_NOT_EXIST : { schema: undefined, ...REQUEST_HEADERS[name] };
  return {
    name: name.replace(/:.*/, ''),
    in: 'header',
    required: false,
    description,
    schema: schema ?? { type: 'string' },
    example,
  };
}

function requestBodyOf(row: Route, schemas: NamedSchemas): Json {
  const schema = row.documents?.body ?? row.body;
  if (schema === undefined) return {};
  const content =
    schema === 'stream'
      ? { '*/*': { schema: {}, example: 'the bytes' } }
      : { [row.bodyType]: { schema: schemas.refer(schema), example: exampleOf(schema) } };
  return { requestBody: { required: true, content } };
}

/** The responses of a row: its answers and its problem documents. */
function responsesOf(row: Route, schemas: NamedSchemas): Record<string, Json> {
  const responses: Record<string, Json> = {};
  for (const [status, response] of Object.entries(row.responses)) {
    const content = contentOf(response, schemas);
    responses[status] = {
      description: response.description,
      headers: headersOf(Number(status), response.headers),
      ...(content === undefined ? {} : { content }),
    };
  }
  const isPage = hasErrorPage(row);
  const setsCookie = Object.values(row.responses).some(({ headers }) => headers?.includes('Set-Cookie') === true);
  for (const refusal of refusalsOf(row)) {
    const { status, codes } = refusal;
    const own = responses[status];
    // What was done before its audit line failed has set or cleared its cookie.
    if (setsCookie && codes.includes('audit_unavailable'))
      responses[status] = withCookie(isPage ? withPage(refusalResponse(refusal)) : refusalResponse(refusal));
    else if (own === undefined)
      responses[status] = isPage ? withPage(refusalResponse(refusal)) : refusalReference(refusal);
    else
      responses[status] = {
        ...own,
        description: `${String(own['description'])} Also: ${named(codes)}.`,
        content: { ...(own['content'] as Json), ...problemContent(codes) },
      };
  }
  return responses;
}

function contentOf({ schema, mediaType }: ResponseDoc, schemas: NamedSchemas): Json | undefined {
  if (schema !== undefined)
    return { [mediaType ?? 'application/json']: { schema: schemas.refer(schema), example: exampleOf(schema) } };
  if (mediaType === undefined) return undefined;
  return mediaType === 'text/html' ? PAGE : { [mediaType]: { schema: {}, example: 'the bytes' } };
}

function withCookie(response: Json): Json {
  return { ...response, headers: { ...(response['headers'] as Json), ...headersOf(0, ['Set-Cookie']) } };
}

/** Adds the HTML page that a browser gets instead when it opens the route. */
function withPage(response: Json): Json {
  return { ...response, content: { ...(response['content'] as Json), ...PAGE } };
}
