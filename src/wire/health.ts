import { map, object, oneOf, optional, string } from './schema.ts';

/** `GET /api/health`: the process answers; dependencies are not checked. */
export const health = object({ status: oneOf(['ok']), version: string });

const outcome = oneOf(['ok', 'failed']);

/** `GET /api/ready` */
export const readiness = object({
  status: outcome,
  checks: optional(map(outcome, { description: 'The outcome of each check. Only people who are signed in get it.' })),
});
