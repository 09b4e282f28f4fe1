import type { ConfigSchema } from './config-schema.ts';
import { clientTlsSchema } from './tls.ts';

const sinksSchema = {
  type: 'array',
  maxItems: 16,
  default: [],
  description:
    'Places elsewhere that get every line, at least once, a second or two after it is written. The segments are the spool: a restart, and a receiver that is down for hours, lose nothing, and nobody waits for a sink.',
  items: {
    type: 'object',
    description: 'A place that gets every line.',
    additionalProperties: false,
    required: ['name', 'url'],
    properties: {
      name: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,31}$', patternErrorMessage: 'must be a lower-case letter or digit, and at most 31 more of them or hyphens', description: 'Name of the sink, in the log and in the file that says how far it is. With another name everything that is kept is sent again.', examples: ['siem'] },
      url: {
        type: 'string',
        minLength: 1,
        description: '`https://…` (or `http://…`): a POST of JSON lines, which any status of 2xx acknowledges. `syslog+tls://host:6514` or `syslog+tcp://host:601`: a message (RFC 5424) for each line.',
        examples: ['https://siem.example.com/ingest/svc', 'syslog+tls://logs.example.com:6514'],
      },
      headers: {
        type: 'array',
        maxItems: 32,
        default: [],
        description: 'Headers of each request, such as a token. For `https` and `http`.',
        items: {
          type: 'object',
          description: 'A header.',
          additionalProperties: false,
          required: ['name', 'value'],
          properties: {
            name: { type: 'string', minLength: 1, description: 'Its name.', examples: ['Authorization'] },
            value: { type: 'string', minLength: 1, writeOnly: true, description: 'Its value.', examples: ['Bearer ${file:/run/secrets/siem}'] },
          },
        },
      },
      facility: {
        type: 'string',
        enum: ['user', 'daemon', 'auth', 'authpriv', 'audit', 'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'],
        description: 'Facility of syslog messages.',
        default: 'audit',
      },
      tls: clientTlsSchema,
      timeout_seconds: { type: 'number', exclusiveMinimum: 0, maximum: 300, description: 'Seconds that the receiver may take for a batch of lines, a megabyte at most, connecting included.', default: 30 },
      spool_bytes: {
        type: 'integer',
        minimum: 65_536,
        description: 'When more bytes than these wait, the oldest segments are skipped: an error in the log says which lines the sink lacks. What waits is not removed for its age (`audit.retention_days`), so this is the room that it may take longer.',
        default: 1_073_741_824,
      },
    },
  },
} as const satisfies ConfigSchema;

export const auditSchema = {
  type: 'object',
  description: 'Where the audit is kept. Without it, lines of the audit are lines of the log. With it they are in files that prove whether somebody changed them; see `docs/audit-store.md`.',
  additionalProperties: false,
  required: ['path', 'signing_secret'],
  properties: {
    path: { type: 'string', minLength: 1, description: 'Folder of the audit, relative to the configuration file. It belongs on a local disk. Object keys and names of people stand in it: keep it private.', examples: ['/var/lib/svc/audit'] },
    instance: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$',
      patternErrorMessage: 'must be a letter or digit, and at most 62 more letters, digits, hyphens and underscores',
      description: 'Name of this instance: of its folder beneath `path`. Left out: the name of the machine.',
      examples: ['files-1'],
    },
    signing_secret: {
      type: 'string',
      minLength: 32,
      writeOnly: true,
      description: 'The key that signs segments is made from it. Keep it away from the disk of the audit.',
      examples: ['${SVC_AUDIT_SECRET}', '${file:/run/secrets/audit}'],
    },
    former_keys: {
      type: 'array',
      items: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$', patternErrorMessage: 'must be a public key of 43 characters, as `svc audit verify` names it', description: 'Public key, as `svc audit verify` names it.' },
      description: 'Public keys of secrets that were used before. What they signed still counts.',
      default: [],
    },
    reads: {
      type: 'string',
      enum: ['all', 'none'],
      description: 'Whether what only reads has lines too. What was denied or failed has one anyway.',
      default: 'all',
    },
    required: {
      type: 'boolean',
      description: 'Whether what only reads is refused too while the audit cannot be written. Changes always are.',
      default: true,
    },
    retention_days: { type: 'integer', minimum: 1, maximum: 36_500, description: 'Days after which a segment is removed. Left out: everything is kept.', examples: [400] },
    segment_bytes: { type: 'integer', minimum: 65_536, maximum: 1_073_741_824, description: 'Bytes after which a segment is closed. One of an earlier day is closed anyway.', default: 67_108_864 },
    sinks: sinksSchema,
  },
} as const satisfies ConfigSchema;
