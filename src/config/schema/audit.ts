import type { ConfigSchema } from './config-schema.ts';
import { clientTlsSchema } from './tls.ts';

const sinksSchema = {
  type: 'array',
  maxItems: 16,
  default: [],
  description:
    'Collectors that receive lines at least once, a second or two after it is written. The segments are the spool, so a restart or a receiver that is down for hours loses nothing. No request waits for a sink.',
  items: {
    type: 'object',
    description: 'A collector that receives every line, or those of `only`.',
    additionalProperties: false,
    required: ['name', 'url'],
    properties: {
      name: {
        type: 'string',
        pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
        patternErrorMessage: 'must be a lower-case letter or digit, and at most 31 more of them or hyphens',
        description:
          'Name of the sink, in the log and in the file that records its position. If you change the name, all kept lines are sent again.',
        examples: ['siem'],
      },
      url: {
        type: 'string',
        minLength: 1,
        description:
          '`https://…` (or `http://…`): svc sends JSON lines by POST; any 2xx status acknowledges them. `syslog+tls://host:6514` or `syslog+tcp://host:601`: svc sends a message (RFC 5424) for each line.',
        examples: ['https://siem.example.com/ingest/svc', 'syslog+tls://logs.example.com:6514'],
      },
      headers: {
        type: 'array',
        maxItems: 32,
        default: [],
        description: 'Headers of each request, for example with a token. Only for `https` and `http`.',
        items: {
          type: 'object',
          description: 'A header.',
          additionalProperties: false,
          required: ['name', 'value'],
          properties: {
            name: { type: 'string', minLength: 1, description: 'Its name.', examples: ['Authorization'] },
            value: {
              type: 'string',
              minLength: 1,
              writeOnly: true,
              description: 'Its value.',
              examples: ['Bearer ${file:/run/secrets/siem}'],
            },
          },
        },
      },
      signing_secret: {
        type: 'string',
        minLength: 32,
        writeOnly: true,
        description:
          'Secret that signs each request: the header `svc-audit-signature` is `t=SECONDS,v1=HEX`, the HMAC-SHA256 of the seconds, a dot and the body. Only for `https` and `http`.',
        examples: ['${file:/run/secrets/pipeline}'],
      },
      only: {
        type: 'object',
        description: 'What the sink receives alone: lines of operations that have ended and match each member.',
        additionalProperties: false,
        properties: {
          operations: {
            type: 'array',
            minItems: 1,
            maxItems: 100,
            items: {
              type: 'string',
              pattern: '^[A-Za-z0-9]+/[A-Za-z]+$',
              patternErrorMessage: 'must be the name of an operation, such as `object/write`',
              description: 'Name of an operation.',
              examples: ['object/write'],
            },
            description: 'Names of operations, as in `docs/audit.md`.',
          },
          outcomes: {
            type: 'array',
            minItems: 1,
            items: { type: 'string', enum: ['done', 'denied', 'failed', 'partly'], description: 'An outcome.' },
            description: 'Outcomes. A request that fails for some of its resources is `partly` done.',
          },
          places: {
            type: 'array',
            minItems: 1,
            maxItems: 100,
            items: {
              type: 'string',
              minLength: 1,
              description: 'A provider, a bucket, or a bucket and the start of keys.',
              examples: ['main/media/incoming/'],
            },
            description: 'Places; a line has to be about something in one of them, or about a folder around one.',
          },
        },
      },
      facility: {
        type: 'string',
        enum: [
          'user',
          'daemon',
          'auth',
          'authpriv',
          'audit',
          'local0',
          'local1',
          'local2',
          'local3',
          'local4',
          'local5',
          'local6',
          'local7',
        ],
        description: 'Facility of syslog messages.',
        default: 'audit',
      },
      tls: clientTlsSchema,
      timeout_seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 300,
        description: 'Time limit in seconds for one batch of lines (at most a megabyte), including the connection.',
        default: 30,
      },
      spool_bytes: {
        type: 'integer',
        minimum: 65_536,
        description:
          'Maximum number of bytes that wait for the sink. Beyond it, svc skips the oldest segments, and an error in the log says which lines the sink lacks. Waiting segments are not removed because of their age (`audit.retention_days`), so they can take up this much additional space.',
        default: 1_073_741_824,
      },
    },
  },
} as const satisfies ConfigSchema;

export const auditSchema = {
  type: 'object',
  description:
    'Where the audit is kept. Without this key, audit lines are in the log. With it, they are in files that prove whether somebody changed them; see `docs/audit-store.md`.',
  additionalProperties: false,
  required: ['path', 'signing_secret'],
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      description:
        'Folder of the audit, relative to the configuration file. Use a local disk. The audit contains object keys and the names of people: keep it private.',
      examples: ['/var/lib/svc/audit'],
    },
    instance: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$',
      patternErrorMessage: 'must be a letter or digit, and at most 62 more letters, digits, hyphens and underscores',
      description: 'Name of this instance, and of its folder beneath `path`. Default: the name of the machine.',
      examples: ['files-1'],
    },
    signing_secret: {
      type: 'string',
      minLength: 32,
      writeOnly: true,
      description: 'Secret from which the signing key is derived. Do not store it on the disk of the audit.',
      examples: ['${SVC_AUDIT_SECRET}', '${file:/run/secrets/audit}'],
    },
    former_keys: {
      type: 'array',
      items: {
        type: 'string',
        pattern: '^[A-Za-z0-9_-]{43}$',
        patternErrorMessage: 'must be a public key of 43 characters, as `svc audit verify` names it',
        description: 'Public key, as `svc audit verify` prints it.',
      },
      description: 'Public keys of former secrets. Their signatures remain valid.',
      default: [],
    },
    reads: {
      type: 'string',
      enum: ['all', 'none'],
      description: 'Whether successful reads have lines too. Reads that were denied or failed always have one.',
      default: 'all',
    },
    activity: {
      type: 'string',
      enum: ['all', 'changes', 'off'],
      description:
        'What *Activity* shows people of what others did with an object that they may read: everything, changes alone (not who read it), or nothing. Administrators see everything.',
      default: 'changes',
    },
    required: {
      type: 'boolean',
      description: 'Whether reads are refused while the audit cannot be written. Changes are always refused then.',
      default: true,
    },
    retention_days: {
      type: 'integer',
      minimum: 1,
      maximum: 36_500,
      description:
        'Days after the last line of a segment until svc removes the segment, also if its instance is gone. Default: segments are never removed.',
      examples: [400],
    },
    segment_bytes: {
      type: 'integer',
      minimum: 65_536,
      maximum: 1_073_741_824,
      description: 'Size in bytes at which a segment is closed. A segment is also closed at midnight UTC.',
      default: 67_108_864,
    },
    sinks: sinksSchema,
  },
} as const satisfies ConfigSchema;
