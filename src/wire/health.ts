import { object, string } from './schema.ts';

/** `GET /api/health`: the process answers; no dependency is asked. */
export const health = object({ status: { type: 'string', enum: ['ok'] }, version: string });

/** `GET /api/ready` */
export const readiness = object({
  status: { type: 'string', enum: ['ok', 'failed'] },
  checks: { type: 'object', description: 'For whoever is signed in.', additionalProperties: { type: 'string', enum: ['ok', 'failed'] } },
}, ['checks']);
