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
  providerName,
  string,
  text,
  time,
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
  resources: list(auditedResource),
});
export type AuditLineWire = Wire<typeof auditLine>;

const complete = boolean({ description: 'False while the index lacks newer lines: query again in a moment.' });

export const auditOperations = {
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
