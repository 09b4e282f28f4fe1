import type { AnyOutput } from '../../operation/operation.ts';
import type { Performer } from '../../operation/perform.ts';
import { shapes } from '../../wire/operations.ts';
import { text, type WireSchema } from '../../wire/schema.ts';
import type { Call } from './call.ts';
import { lineOf, LINES_TYPE } from './lines.ts';
import { snakeNames, snakeSchema } from './member-names.ts';
import type { RequestHeader } from './documented-headers.ts';
import type { ReadBody } from './body.ts';
import type { RequestCallerParts } from './request-caller.ts';
import { RowAttempt, type RowAttemptParts } from './row-attempt.ts';
import { RowInput, type Member } from './row-input.ts';
import { UNLISTED_HEADERS, type Content, type Row } from './row.ts';
import type { ResponseDoc, Route } from './route.ts';

export type OperationRouteParts = RequestCallerParts & { readonly performer: Performer };

/** The only path parameter that is not a member of an operation's input. */
const TICKET = text('A transfer ticket.', { minLength: 43, maxLength: 43 });

const UNLISTED: ReadonlySet<string> = new Set(UNLISTED_HEADERS);

/** Makes the route of a row. */
export function operationRoute(row: Row, parts: OperationRouteParts): Route {
  const { doc, attemptParts } = documentedRow(row, parts);
  const serve = (call: Call, readBody?: ReadBody) =>
    parts.performer.perform(row.operation, new RowAttempt(attemptParts, call, readBody));
  return { ...doc, serve, ...(row.hot === true && { hot: serve }) };
}

type DocumentedRow = { readonly doc: Omit<Route, 'serve'>; readonly attemptParts: RowAttemptParts };

/** Prepares a row: its documentation, and the parts that read its requests. */
export function documentedRow(row: Row, { identify, ownOrigin, faults }: OperationRouteParts): DocumentedRow {
  const input = new RowInput(row);
  const { access, name } = row.operation;
  const isSnake = row.path.startsWith('/api/');
  const schemaOf = (source: Member['source']) =>
    objectOf(
      row,
      input.members.filter((member) => member.source === source),
    );
  const doc = {
    method: row.method,
    path: row.path,
    tag: row.tag,
    operation: name,
    summary: row.summary,
    ...(row.description === undefined ? {} : { description: row.description }),
    requestHeaders: [
      ...Object.values(row.headers ?? {}).filter(
        (header): header is RequestHeader | 'If-None-Match: *' => !UNLISTED.has(header),
      ),
      ...(row.tagWithout === undefined ? [] : ['If-None-Match' as const]),
    ],
    responses: Object.fromEntries(
      Object.entries(row.answers).map(([status, answer]) => [status, responseOf(Number(status), row, answer, isSnake)]),
    ),
    ...(row.problems === undefined ? {} : { problems: row.problems }),
    params: schemaOf('path'),
    query: schemaOf('query'),
    body: row.body === 'stream' ? ('stream' as const) : schemaOf('body'),
    bodyType: 'application/json' as const,
    maxBodyBytes: row.maxBodyBytes ?? 65_536,
    access,
    limit: undefined,
  };
  return {
    doc,
    attemptParts: {
      row,
      input,
      maxBodyBytes: doc.maxBodyBytes,
      replyOf: replyOf(row, isSnake),
      identify,
      ownOrigin,
      faults,
    },
  };
}

function replyOf(row: Row, isSnake: boolean): (output: AnyOutput, input: never) => Content {
  const { reply } = row;
  if (reply !== undefined) return (output, input) => reply(output as never, input);
  const status = Number(Object.keys(row.answers)[0]);
  if (status === 204) return () => ({ status });
  const { output: schema } = shapes[row.operation.name];
  const { reads = false, tagWithout, writers } = row;
  const asIs = Object.keys(writers ?? {});
  const rename = isSnake && typeof schema === 'object' ? snakeNames(schema, asIs) : (value: unknown) => value;
  return (output) => ({
    status,
    json: rename(output) as object,
    reads,
    writers,
    ...(tagWithout !== undefined && { tag: { apart: tagWithout(output as never) } }),
  });
}

function responseOf(
  status: number,
  { operation, lines }: Row,
  { description, mediaType, headers, schema }: Row['answers'][number],
  isSnake: boolean,
): ResponseDoc {
  if (lines === true) return { description, mediaType: LINES_TYPE, schema: snakeSchema(lineOf(operation.name)) };
  const { output } = shapes[operation.name];
  const hasJson = mediaType === undefined && typeof output === 'object' && status < 300 && status !== 204;
  const json = schema ?? output;
  return {
    description,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(headers === undefined ? {} : { headers }),
    ...(hasJson ? { schema: isSnake ? snakeSchema(json) : json } : {}),
  };
}

/** The schema of the members that come from one part of a request. */
function objectOf(row: Row, members: readonly Member[]): WireSchema | undefined {
  if (members.length === 0) return undefined;
  const { properties, required = [] } = shapes[row.operation.name].input as unknown as {
    readonly properties: Readonly<Record<string, WireSchema>>;
    readonly required?: readonly string[];
  };
  const needs: readonly string[] = [...required, ...(row.needs ?? [])];
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, wire }) => [wire, properties[name] ?? TICKET])),
    required: members.filter(({ name, source }) => source === 'path' || needs.includes(name)).map(({ wire }) => wire),
    additionalProperties: false,
  };
}
