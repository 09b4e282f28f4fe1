import type { Route } from '../routing/route.ts';
import { RESPONSE_HEADERS } from '../routing/documented-headers.ts';
import type { Json } from '../../wire/json.ts';
import { NamedSchemas } from '../../wire/named-schemas.ts';
import { headOperationOf, operationOf } from './operation.ts';
import { PROBLEM, problemExamples, refusalResponses } from './problems.ts';
import { rpcPath, RPC_TAG } from './rpc.ts';

/** The OpenAPI 3.1 document of the rows and `/rpc`. Its schema language is JSON Schema 2020-12, so the wire schemas are used unchanged. */
export function openapiOf(rows: readonly Route[], version: string): Json {
  const schemas = new NamedSchemas();
  const paths: Record<string, Json> = {};
  for (const row of rows) {
    const path = (paths[row.path.replace(/:(\w+)/g, '{$1}')] ??= {});
    path[row.method] = operationOf(row, schemas);
    if (row.method === 'get' && row.head !== false) path['head'] = headOperationOf(row, schemas);
  }
  paths['/rpc'] = rpcPath(schemas);
  schemas.define('Problem', PROBLEM);
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version,
      description:
        'Browse S3-compatible object storage. Policy decides every request. An API key works only at `/rpc`: it transfers objects with tickets (`transfer/create`) and cannot download ZIP archives. Errors are problem documents (RFC 9457); tell them apart by `code`. A method that a path does not have is answered with 405, and `Allow` names those that it has. A change with a condition that its route does not know, such as `If-Unmodified-Since`, is answered with 400 and not made. JSON in a request may be nested 16 deep and have up to 20,500 members and 10,500 lists and objects; beyond that the answer is 400 `invalid_request`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: './..', description: 'This service' }],
    security: [{ session: [] }, { bearer: [] }],
    tags: [...new Set(rows.map((row) => row.tag)), RPC_TAG].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'svc_session',
          description: 'A sign-in in the browser sets this cookie.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The session credential of a desktop sign-in, or on `/rpc` an API key.',
        },
      },
      headers: Object.fromEntries(
        Object.entries(RESPONSE_HEADERS).map(([name, header]) => [name, { schema: { type: 'string' }, ...header }]),
      ),
      responses: refusalResponses(),
      examples: problemExamples(),
      schemas: schemas.all(),
    },
  };
}
