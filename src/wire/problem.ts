import { integer, list, map, object, oneOf, optional, string, text, type Wire } from './schema.ts';

/** An RFC 9457 problem document. Additional members depend on the `code`. */
export const problem = {
  ...object({
    type: text('`urn:svc:problem:<code>`'),
    title: string,
    status: integer({ minimum: 400, maximum: 599 }),
    code: text('The kind of the problem, by which clients tell problems apart.'),
    detail: optional(string),
    request_id: string,
    errors: optional(
      list(object({ path: string, message: string }), {
        description:
          'The faults of an `invalid_request`. `path` begins with the part of the request when its form is wrong, such as `query.limit` or `body.to.key`; it is the name of the member alone when its value cannot be used, such as `key` or `cursor`.',
      }),
    ),
    action: optional(text('The action that policy was asked about, with `access_denied`.')),
    resource: optional(map(string, { description: 'The resource that policy was asked about, with `access_denied`.' })),
    reason: optional(
      oneOf(['no_matching_allow', 'explicit_deny'], {
        description: 'Why policy denied the request, with `access_denied`.',
      }),
    ),
    ticket: optional(
      oneOf(['not_valid'], {
        description:
          'Set with `not_found` when the ticket is not valid. The request was not performed; ask for a new ticket.',
      }),
    ),
  }),
  additionalProperties: true,
};

export type Problem = Wire<typeof problem>;
