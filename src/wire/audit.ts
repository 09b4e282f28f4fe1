import { nextPage } from './paged.ts';
import {
  anyText,
  boolean,
  bucketName,
  integer,
  list,
  number,
  object,
  objectKey,
  ofObject,
  oneOf,
  optional,
  orNull,
  providerName,
  string,
  text,
  time,
  timeOrNull,
  type Wire,
} from './schema.ts';
import { VERSION_EXAMPLE } from './version-id.ts';

const moment = (description: string) => text(description, { minLength: 10, maxLength: 40 });
const paged = {
  cursor: optional(text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 40 })),
  limit: optional(integer({ minimum: 1, maximum: 1_000, default: 200 })),
};
const { nextCursor } = nextPage;

const outcome = oneOf(['done', 'denied', 'failed', 'partly', 'unknown'], {
  description: '`unknown`: a change with an intent but no outcome: it is in progress, or the service ended before it.',
});
/** An entry has the names of one resource only, which an example made of all members would not show. */
const AN_ENTRY = {
  resource: 'main/photos/2025/summer/beach.jpg',
  provider: 'main',
  bucket: 'photos',
  key: '2025/summer/beach.jpg',
  action: 'objects:get',
  outcome: 'done',
  rule: 'photographers 0',
};
const auditedResource = object(
  {
    resource: text(
      'The resource as people read it: `provider/bucket/key`, `session/ID`, `apiKey/ID`, `s3Key/ID` or `person/SUBJECT`.',
    ),
    provider: optional(string),
    bucket: optional(string),
    key: optional(string),
    prefix: optional(text('The start of keys, for a listing or a folder of an archive.')),
    session: optional(string),
    apiKey: optional(string),
    s3Key: optional(string),
    person: optional(string),
    action: optional(string),
    outcome: optional(oneOf(['done', 'denied', 'failed', 'untouched'])),
    why: optional(string),
    rule: optional(
      text('The rule that decided: the name of the policy, and the place in it, from 0.', {
        examples: ['photographers 0'],
      }),
    ),
    version: optional(text('The version of the object, when the request named one.', VERSION_EXAMPLE)),
    of: optional(object({ issuer: string, subject: string, name: string })),
  },
  { examples: [AN_ENTRY] },
);

/** A line of the audit; see docs/audit.md. */
const auditLine = object({
  instance: text('The folder of the chain, which names the instance that wrote it.'),
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
  changes: boolean({
    description: 'Whether the operation changes something, or hands out something that can be used later.',
  }),
  resources: list(auditedResource),
});
export type AuditLineWire = Wire<typeof auditLine>;

const complete = boolean({ description: 'False while the index lacks newer lines: query again in a moment.' });

const named = (description: string, example: string) => orNull(list(string, { description, examples: [[example]] }));

/** A receiver of audit lines, as far as the process that answers knows it. */
const auditSink = object({
  name: text('The name of the sink in the configuration.', { examples: ['siem'] }),
  type: oneOf(['http', 'syslog']),
  host: text('The host of its address. The rest of the address may be secret, and is left out.', {
    examples: ['collector.example.com'],
  }),
  operations: named('Only lines of these operations; null for all.', 'object/write'),
  outcomes: named('Only lines of these outcomes; null for all.', 'done'),
  places: named('Only lines about resources that start so; null for all.', 'main/photos/incoming/'),
  failing: boolean({ description: 'Whether the latest attempt failed.' }),
  unsentBytes: integer({ description: 'Bytes of lines that wait.', examples: [5120] }),
  lagSeconds: number({ description: 'Age of the oldest line that waits; 0 when none waits.', examples: [12.5] }),
  sentLines: integer({ description: 'Lines that it took since the process started.', examples: [1042] }),
  skippedLines: integer({
    description: 'Lines that it will never receive, because more waited than its spool holds.',
    examples: [0],
  }),
  lastSentAt: timeOrNull,
  failures: list(
    object({ at: time, why: text('Why it took no lines.', { examples: ['the receiver answered with status 503'] }) }),
    {
      description: 'The latest failures since the process started, the latest first; at most five.',
    },
  ),
});
export type AuditSinkWire = Wire<typeof auditSink>;

export const auditOperations = {
  /** The receivers of audit lines, and what happened there. */
  'audit/sinks': {
    input: object({}),
    output: object({
      instance: text('The folder of the process that answers. Other processes send their own lines.', {
        examples: ['files-1'],
      }),
      sinks: list(auditSink),
    }),
  },
  /** Lines of the audit, the latest first. All given filters must match. */
  'audit/list': {
    input: object({
      subject: optional(text('Exact subject of the person who made the request.', { minLength: 1, maxLength: 1_024 })),
      issuer: optional(text('Issuer of the person.', { maxLength: 2_048 })),
      provider: optional({
        ...providerName,
        description: 'Exactly this provider, or with `bucket` this bucket, or with `key` this object.',
      }),
      bucket: optional(bucketName),
      key: optional(objectKey),
      resource: optional(
        anyText(
          'The text of a resource, exactly: `provider/bucket/key`, `session/ID`, `apiKey/ID`, `s3Key/ID` or `person/SUBJECT`.',
          { minLength: 1, maxLength: 2_048 },
        ),
      ),
      operation: optional(text('Name of an operation, such as `object/delete`.', { minLength: 1, maxLength: 64 })),
      only: optional(
        oneOf(['changes', 'storage'], {
          description:
            '`changes`: without reads, and without the steps of a transfer that were done, such as tickets and parts. `storage`: without the reads of anything but storage, such as those of the administration pages.',
        }),
      ),
      outcome: optional(outcome),
      from: optional(moment('RFC 3339: from this moment.')),
      to: optional(moment('RFC 3339: before this moment.')),
      ...paged,
    }),
    output: object({ lines: list(auditLine), nextCursor, complete }),
  },
  /** The audit lines about one object, for people who may read it. */
  'object/activity': {
    input: object({ ...ofObject, ...paged }),
    output: object({
      lines: list(
        object({
          time,
          operation: string,
          move: optional(boolean({ description: 'Whether an `object/copy` was a move.' })),
          outcome,
          why: optional(string),
          action: optional(string),
          version: optional(
            text(
              'The version of the object, when the request named one and you may see its versions.',
              VERSION_EXAMPLE,
            ),
          ),
          issuer: string,
          subject: string,
          name: string,
          via: string,
        }),
      ),
      othersSee: oneOf(['all', 'changes', 'off'], {
        description:
          'What people who are no administrators see of what others did with the object: everything, changes alone, or nothing. Administrators see everything.',
      }),
      nextCursor,
      complete,
    }),
  },
};
