import { catalogue, type ErrorCode } from '../../errors/catalogue.ts';
import { MAX_BATCH } from '../../wire/batch.ts';
import { RPC_METHODS, rpcSchemas, type RpcMethodName } from '../../wire/rpc.ts';
import { oneOf } from '../../wire/schema.ts';
import { exampleOf } from '../../wire/example.ts';
import { headersOf } from './headers.ts';
import type { Json } from '../../wire/json.ts';
import { typeName, type NamedSchemas } from '../../wire/named-schemas.ts';
import { operationIdOf } from './operation.ts';
import { named } from './problems.ts';

export const RPC_TAG = 'JSON-RPC';

const jsonrpc = oneOf(['2.0']);
const id = {
  type: ['string', 'integer', 'null'],
  description: 'The answer repeats this id. A call without an id is a notification and has no answer.',
  examples: [1],
};

const REFUSALS: readonly ErrorCode[] = [
  'invalid_request',
  'session_required',
  'origin_mismatch',
  'method_not_allowed',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'overloaded',
  'session_store_unavailable',
  'state_unavailable',
];
const UPGRADE_REFUSALS: readonly ErrorCode[] = [
  'session_required',
  'origin_mismatch',
  'method_not_allowed',
  'rate_limited',
  'internal',
  'session_store_unavailable',
  'state_unavailable',
];

/** An example call for the first page of a listing. It can be sent unchanged, because it needs no cursor. */
const CALL: Json = {
  jsonrpc: '2.0',
  id: 1,
  method: 'object/list' satisfies RpcMethodName,
  params: { provider: 'main', bucket: 'photos', prefix: '2025/', limit: 200 },
};
const ANSWER: Json = {
  jsonrpc: '2.0',
  id: 1,
  result: { ...(exampleOf(rpcSchemas['object/list'].result as object) as Json), prefixes: [] },
};

/** The path `/rpc`. It is not a row, because it answers by POST and by WebSocket in its own protocol. */
export function rpcPath(schemas: NamedSchemas): Json {
  const call = schemas.define('RpcCall', callSchema(schemas));
  const answer = schemas.define('RpcAnswer', answerSchema(schemas));
  return {
    post: {
      tags: [RPC_TAG],
      operationId: operationIdOf('post', '/rpc'),
      summary: 'Call methods by JSON-RPC 2.0',
      description: `One call, or a batch of up to ${MAX_BATCH} calls, which are performed one after the other. The outcome of each call, including errors, has status 200. A request without a valid credential or from another origin gets the HTTP status of its problem. With a cookie, \`Origin\` must be the service's own. A message has at most 1 MiB, and 64 KiB for \`apiKey/…\`. Its JSON may be nested 16 deep and have up to 20,500 members and 10,500 lists and objects.`,
      parameters: [],
      requestBody: { required: true, content: { 'application/json': { schema: oneOrMany(call), example: CALL } } },
      responses: {
        200: {
          description: 'The result or the error of each call. The answers of a batch are in the order of its calls.',
          headers: headersOf(200),
          content: { 'application/json': { schema: oneOrMany(answer), example: ANSWER } },
        },
        204: {
          description: 'The message contained only notifications, so there is no answer.',
          headers: headersOf(204),
        },
        ...refusals(REFUSALS, schemas),
      },
    },
    get: {
      tags: [RPC_TAG],
      operationId: operationIdOf('get', '/rpc'),
      summary: 'Open a WebSocket for JSON-RPC 2.0',
      description:
        'Each text message has the form of a POST body. The service closes the socket with 4001 when the session or key ends. A GET that does not ask for a WebSocket is refused.',
      parameters: [],
      responses: { 101: { description: 'The socket is open.' }, ...upgradeRefusals(schemas) },
    },
  };
}

function callSchema(schemas: NamedSchemas): Json {
  const calls = [
    ...RPC_METHODS.map(
      (method) => [method, schemas.define(`${typeName(method)}Call`, oneCallSchema(method, schemas))] as const,
    ),
    ['rpc.discover', schemas.define('RpcDiscoverCall', DISCOVER_CALL)] as const,
  ];
  return {
    oneOf: calls.map(([, call]) => call),
    discriminator: {
      propertyName: 'method',
      mapping: Object.fromEntries(calls.map(([method, call]) => [method, call['$ref']])),
    },
  };
}

function oneCallSchema(method: RpcMethodName, schemas: NamedSchemas): object {
  const { params } = rpcSchemas[method];
  const needsParams = ((params as { readonly required?: readonly string[] }).required ?? []).length > 0;
  const properties = {
    jsonrpc,
    id,
    method: oneOf([method]),
    params: schemas.define(`${typeName(method)}Params`, params),
  };
  return closed(properties, needsParams ? ['jsonrpc', 'method', 'params'] : ['jsonrpc', 'method']);
}

function answerSchema(schemas: NamedSchemas): Json {
  const results = [
    ...RPC_METHODS.map((method) => schemas.define(`${typeName(method)}Result`, rpcSchemas[method].result)),
    schemas.define('RpcDiscoverResult', OPENRPC),
  ];
  return {
    oneOf: [
      schemas.define('RpcSuccess', closed({ jsonrpc, id, result: { anyOf: results } })),
      schemas.define('RpcFailure', failureSchema()),
    ],
  };
}

function failureSchema(): object {
  return closed({
    jsonrpc,
    id,
    error: closed({
      code: {
        type: 'integer',
        description: 'A code of JSON-RPC 2.0, or one of this service from -32050 to -32001.',
        examples: [-32003],
      },
      message: { type: 'string' },
      data: {
        type: 'object',
        properties: {
          code: {
            type: 'string',
            enum: Object.keys(catalogue),
            description: 'The kind of the error.',
            examples: ['access_denied'],
          },
          detail: { type: 'string', examples: ['ask for `objects:get`'] },
        },
        required: ['code'],
        additionalProperties: true,
      },
    }),
  });
}

const DISCOVER_CALL = closed(
  { jsonrpc, id, method: oneOf(['rpc.discover']), params: { type: 'object', additionalProperties: false } },
  ['jsonrpc', 'method'],
);
const OPENRPC: Json = {
  type: 'object',
  description: 'An OpenRPC document: all methods of the service, with their types and an example of each.',
  properties: { openrpc: { type: 'string' }, methods: { type: 'array', items: { type: 'object' } } },
  required: ['openrpc', 'methods'],
};

/** An object schema with exactly these members. */
function closed(properties: Json, required: readonly string[] = Object.keys(properties)): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

function oneOrMany(schema: Json): Json {
  return { anyOf: [schema, { type: 'array', items: schema, minItems: 1, maxItems: MAX_BATCH }] };
}

function refusals(codes: readonly ErrorCode[], schemas: NamedSchemas): Json {
  const schema = schemas.define('RpcFailure', failureSchema());
  return Object.fromEntries(
    Array.from(
      Map.groupBy(codes, (code) => catalogue[code].status),
      ([status, ofStatus]) => [
        status,
        {
          description: named(ofStatus),
          headers: headersOf(status),
          content: { 'application/json': { schema, examples: Object.fromEntries(ofStatus.map(failureExample)) } },
        },
      ],
    ),
  );
}

/** The refusals of GET. A refused upgrade gets a short problem document; a request without an upgrade is answered like a POST. */
function upgradeRefusals(schemas: NamedSchemas): Json {
  const responses = Object.entries(refusals(UPGRADE_REFUSALS, schemas) as Record<string, { readonly content: Json }>);
  return Object.fromEntries(
    responses.map(([status, response]) => {
      const codes = UPGRADE_REFUSALS.filter((code) => catalogue[code].status === Number(status));
      const schema = closed({
        type: { type: 'string' },
        status: { type: 'integer' },
        code: { type: 'string', enum: codes },
      });
      const problem = {
        schema,
        example: { type: `urn:svc:problem:${String(codes[0])}`, status: Number(status), code: codes[0] },
      };
      return [status, { ...response, content: { ...response.content, 'application/problem+json': problem } }];
    }),
  );
}

function failureExample(code: ErrorCode): [string, Json] {
  const { title, rpc } = catalogue[code];
  return [
    code,
    { summary: title, value: { jsonrpc: '2.0', id: null, error: { code: rpc, message: title, data: { code } } } },
  ];
}
