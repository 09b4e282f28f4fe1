import { object, string, type Wire } from './schema.ts';

/** RFC 9457 problem document. Further members depend on the `code`. */
export const problem = {
  ...object(
    {
      type: { type: 'string', description: '`urn:svc:problem:<code>`' },
      title: string,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      code: { type: 'string', description: 'What to tell errors apart by.' },
      detail: string,
      request_id: string,
      errors: { type: 'array', items: object({ path: string, message: string }), description: 'With `invalid_request`: each fault.' },
      action: { type: 'string', description: 'With `access_denied`: the action that was asked.' },
      resource: { type: 'object', additionalProperties: { type: 'string' }, description: 'With `access_denied`: the resource that it was asked on.' },
      reason: { type: 'string', enum: ['no_matching_allow', 'explicit_deny'], description: 'With `access_denied`.' },
    },
    ['detail', 'errors', 'action', 'resource', 'reason'],
  ),
  additionalProperties: true,
} as const;

export type Problem = Wire<typeof problem>;
