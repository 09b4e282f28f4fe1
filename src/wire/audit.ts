import { nextPage } from './paged.ts';
import { boolean, integer, list, number, object, ofObject, oneOf, optional, string, text, time, type Wire } from './schema.ts';

const moment = (description: string) => text(description, { minLength: 10, maxLength: 40 });
const paged = {
  cursor: optional(text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 40 })),
  limit: optional(integer({ minimum: 1, maximum: 1_000, default: 200 })),
};
const { nextCursor } = nextPage;

const outcome = oneOf(['done', 'denied', 'failed', 'partly', 'unknown'], { description: '`unknown`: a change that was intended, and whose end nobody knows: it goes on, or the service ended.' });
const auditedResource = object({
  resource: string,
  action: optional(string),
  outcome: optional(oneOf(['done', 'denied', 'failed', 'untouched'])),
  why: optional(string),
  rule: optional(text('The rule that decided: the name of the policy, and the place in it, from 0.', { examples: ['photographers 0'] })),
  of: optional(object({ issuer: string, subject: string, name: string })),
});

/** A line of the audit; see docs/audit.md. */
const auditLine = object({
  instance: text('The folder of the chain: which instance wrote it.'),
  seq: integer({ description: 'Number of the line in its chain.' }),
  time,
  operation: string,
  outcome,
  why: optional(string),
  issuer: string,
  subject: string,
  name: string,
  via: string,
  credentialId: optional(string),
  policyRevision: optional(string),
  address: optional(string),
  face: string,
  requestId: string,
  bytes: optional(integer()),
  durationMs: optional(number()),
  line: optional(integer()),
  lines: optional(integer()),
  resources: list(auditedResource),
});
export type AuditLineWire = Wire<typeof auditLine>;

const complete = boolean({ description: 'False while newer lines are not in the index yet: ask again in a moment.' });

export const auditOperations = {
  /** What the audit says, the latest first. Every filter that is given has to hold. */
  'audit/list': {
    input: object({
      subject: optional(text('Subject of the person who asked, to the letter.', { minLength: 1, maxLength: 1_024 })),
      issuer: optional(text('Issuer of the person.', { maxLength: 2_048 })),
      resource: optional(text('`provider/bucket/key`, `session/ID` or `apiKey/ID`, to the letter.', { minLength: 1, maxLength: 2_048 })),
      operation: optional(text('Such as `object/delete`.', { minLength: 1, maxLength: 64 })),
      outcome: optional(outcome),
      from: optional(moment('RFC 3339: from this moment.')),
      to: optional(moment('RFC 3339: before this moment.')),
      ...paged,
    }),
    output: object({ lines: list(auditLine), nextCursor, complete }),
  },
  /** What happened to one object, for who may read it. */
  'object/activity': {
    input: object({ ...ofObject, ...paged }),
    output: object({
      lines: list(object({ time, operation: string, outcome, action: optional(string), issuer: string, subject: string, name: string, via: string })),
      nextCursor,
      complete,
    }),
  },
};
