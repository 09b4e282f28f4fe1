import { integer, list, map, object, oneOf, optional, string, text, type Wire } from './schema.ts';

/** RFC 9457 problem document. Further members depend on the `code`. */
export const problem = {
  ...object({
    type: text('`urn:svc:problem:<code>`'),
    title: string,
    status: integer({ minimum: 400, maximum: 599 }),
    code: text('What to tell errors apart by.'),
    detail: optional(string),
    request_id: string,
    errors: optional(list(object({ path: string, message: string }), { description: 'With `invalid_request`: each fault.' })),
    action: optional(text('With `access_denied`: the action that was asked.')),
    resource: optional(map(string, { description: 'With `access_denied`: the resource that it was asked on.' })),
    reason: optional(oneOf(['no_matching_allow', 'explicit_deny'], { description: 'With `access_denied`.' })),
  }),
  additionalProperties: true,
};

export type Problem = Wire<typeof problem>;
