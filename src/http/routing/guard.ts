import type { Request, Response } from 'express';
import { admit } from '../../access/admit.ts';
import { refuseAsPartOfDocument } from '../../access/origin.ts';
import { audited } from '../../audit/audited.ts';
import { operations } from '../../audit/operations.ts';
import type { Audit } from '../../audit/record.ts';
import type { Trail } from '../../audit/trail.ts';
import { dropBody } from '../../bounds/drop-body.ts';
import type { ReadBody } from './body.ts';
import type { Call } from './call.ts';
import { callerOf, type RequestCallerParts } from './request-caller.ts';
import type { HandRoute, Input, Route } from './route.ts';
import { send } from './send.ts';
import { refuseFaults } from '../../access/invalid.ts';
import { compileFaults } from '../../wire/fault.ts';
import type { WireSchema } from '../../wire/schema.ts';

export type GuardParts = RequestCallerParts & { readonly audit: Audit };

type AnyInput = Input<unknown, unknown, unknown>;

/** Makes a route from a hand-written row. It reads the body only after the caller is identified, so that a stranger's body is never parsed. */
export function guarded(row: HandRoute, parts: GuardParts): Route {
  const checks = {
    path: row.params === undefined ? undefined : compileCheck(row.params, 'path'),
    query: row.query === undefined ? undefined : compileCheck(row.query, 'query'),
    body: typeof row.body === 'object' ? compileCheck(row.body, 'body') : undefined,
  };
  const identify = async (call: Call, trail: Trail) => {
    if (row.access.kind !== 'open') return callerOf(row.path, call, parts, trail);
    await parts.faults.refusing(call.address, () => refuseAsPartOfDocument(call.req.headers));
    return undefined;
  };
  const answer = async (call: Call<Request, Response>, readBody: ReadBody | undefined, trail: Trail) => {
    const { req, res } = call;
    admit(row.access.kind, await identify(call, trail), trail);
    if (readBody === undefined) dropBody(req);
    else await readBody(req, res);
    if (row.checksAudit !== true) await trail.ready();
    const reply = await row.handle({ input: readInput(row, req, checks), trail, req, res });
    // The client learns of a change only after its audit line is on the disk.
    if (operations[row.operation].kind === 'change') await trail.write();
    if (reply === undefined) return;
    // `res.redirect` would also write a page with the address, which may contain an ID token.
    if ('redirect' in reply) res.set('Cache-Control', 'no-store').status(303).location(reply.redirect).end();
    else if (!(await send(call, reply))) trail.failed('client_gone');
  };
  return {
    ...row,
    serve: (call, readBody) => {
      const { requestId, address } = call.setHeaders();
      return audited(parts.audit, row.operation, { requestId, address, face: 'http' }, (trail) =>
        answer(call, readBody, trail),
      );
    },
  };
}

function readInput(
  row: HandRoute,
  req: Request,
  checks: { path: Check | undefined; query: Check | undefined; body: Check | undefined },
): AnyInput {
  const path: unknown = checks.path === undefined ? undefined : { ...req.params };
  const query: unknown = checks.query === undefined ? undefined : req.query;
  // Express leaves `req.body` undefined for an empty form, which is a form without members.
  const body: unknown =
    checks.body === undefined ? undefined : (req.body ?? (row.bodyType === 'application/json' ? undefined : {}));
  checks.path?.(path);
  checks.query?.(query);
  checks.body?.(body);
  return { path, query, body };
}

type Check = (value: unknown) => void;

/** Compiles a check of one part of a request. The check throws `invalid_request` with `errors: [{path, message}]`. */
function compileCheck(schema: WireSchema, part: 'path' | 'query' | 'body'): Check {
  const faultsOf = compileFaults(schema);
  return (value) => refuseFaults(faultsOf(value, (member) => [part, ...member]));
}
