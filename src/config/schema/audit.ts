import type { JSONSchema } from 'json-schema-to-ts';

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
      items: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$', description: 'Public key, as `svc audit verify` names it.' },
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
  },
} as const satisfies JSONSchema;
