import type { ConfigSchema } from './config-schema.ts';
import { clientTlsSchema, tlsSchema } from './tls.ts';

export const providersSchema = {
  type: 'array',
  description: 'The storage to browse.',
  default: [],
  items: {
    type: 'object',
    description: 'A storage provider.',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: {
        type: 'string',
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
        patternErrorMessage: 'must be a letter or digit, and at most 62 more letters, digits, dots, hyphens and underscores',
        description: 'Name of the provider in policies and addresses: at most 63 letters, digits, dots, hyphens and underscores.',
        examples: ['main'],
      },
      type: { type: 'string', enum: ['s3'], description: 'Kind of storage.', default: 's3' },
      endpoint: {
        type: 'string',
        minLength: 1,
        description: 'URL that the service reaches the storage at. Left out: Amazon S3 in `region`.',
        examples: ['https://s3.example.com'],
      },
      region: { type: 'string', minLength: 1, description: 'Region that requests are signed for.', default: 'us-east-1' },
      path_style: {
        type: 'boolean',
        description: '`https://host/bucket/key` instead of `https://bucket.host/key`: right for MinIO, Ceph, Garage and most others.',
        default: true,
      },
      dot_segments: {
        type: 'string',
        enum: ['refuse', 'keep'],
        description:
          'Keys with a segment `.` or `..`, such as `a/../b`. `refuse`: they are refused and left out of listings, because storage, or a proxy before it, may take them for other keys than policy was asked about. `keep`: for storage that is known to keep them apart, reached directly (Ceph, Amazon).',
        default: 'refuse',
      },
      public_endpoint: {
        type: 'string',
        minLength: 1,
        description: 'URL that people reach the storage at, where it differs from `endpoint`: shared links are signed for it.',
        examples: ['https://files.example.com'],
      },
      buckets: {
        type: 'array',
        items: { type: 'string', minLength: 1, description: 'Name of a bucket.' },
        description: 'The buckets, for credentials that may not list them. The storage is not asked then.',
        examples: [['backups', 'media']],
      },
      owner: { type: 'string', minLength: 1, maxLength: 200, description: 'Who answers for its buckets: a name or an e-mail address. For `svc access review`.', examples: ['storage@example.com'] },
      owners: {
        type: 'object',
        description: 'Who answers for a bucket, by its name, where that is not `owner`.',
        additionalProperties: { type: 'string', minLength: 1, maxLength: 200, description: 'A name or an e-mail address.' },
        examples: [{ finance: 'cfo@example.com' }],
      },
      credentials: {
        type: 'object',
        description: 'Access key of the service. Left out: the AWS default chain (environment, profile, instance role).',
        additionalProperties: false,
        required: ['access_key_id', 'secret_access_key'],
        properties: {
          access_key_id: { type: 'string', minLength: 1, writeOnly: true, description: 'Access key ID.', examples: ['${S3_ACCESS_KEY_ID}'] },
          secret_access_key: { type: 'string', minLength: 1, writeOnly: true, description: 'Secret access key.', examples: ['${file:/run/secrets/s3}'] },
          session_token: { type: 'string', minLength: 1, writeOnly: true, description: 'Session token, for temporary credentials.' },
        },
      },
      tls: tlsSchema,
      connect_timeout_seconds: { type: 'number', exclusiveMinimum: 0, maximum: 300, description: 'Seconds to get a connection.', default: 5 },
      timeout_seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 3600,
        description: 'Seconds that a connection may stay silent, while an answer or its next bytes are awaited.',
        default: 30,
      },
    },
  },
} as const satisfies ConfigSchema;

export const thumbnailsSchema = {
  type: 'object',
  description: 'Small versions of pictures, for the gallery of the web UI. They are made by `sharp` in processes of their own, for those who may read the picture.',
  additionalProperties: false,
  default: {},
  properties: {
    enabled: { type: 'boolean', description: 'Whether thumbnails are made.', default: true },
    path: {
      type: 'string',
      minLength: 1,
      description: 'Folder where they are kept, relative to the configuration file. Left out: `thumbnails` beside the state database; without one, a temporary folder that is deleted at the stop, or at the next start after a crash. It shows what pictures show: keep it private.',
      examples: ['/var/cache/svc/thumbnails'],
    },
    max_bytes: { type: 'integer', minimum: 1_048_576, description: 'Bytes that they may take on the disk. What was not looked at for longest goes first.', default: 268_435_456 },
  },
} as const satisfies ConfigSchema;

export const stateSchema = {
  type: 'object',
  description:
    'The state database: API keys, and sessions of the type `database`. A file (SQLite) for one instance, or PostgreSQL for any number of them. It holds ID tokens: keep it private.',
  additionalProperties: false,
  properties: {
    path: { type: 'string', minLength: 1, description: 'File of an SQLite database, relative to the configuration file.', examples: ['state.db'] },
    url: {
      type: 'string',
      minLength: 1,
      writeOnly: true,
      description:
        'A PostgreSQL database (13 or newer), in place of `path`. The service keeps its tables in the schema `svc`, and makes them. Several servers are written with commas between them; the one that takes changes is used. `sslmode=verify-full` asks for TLS as `tls` does; certificates are always verified.',
      examples: ['postgresql://svc@db.example.com:5432/svc', 'postgresql://svc:${file:/run/secrets/db}@db-1:5432,db-2:5432/svc'],
    },
    password_file: {
      type: 'string',
      minLength: 1,
      description: 'File with the password for `url`, relative to the configuration file. It is read for each connection, so that the password can be changed while the service runs.',
      examples: ['/run/secrets/db-password'],
    },
    tls: clientTlsSchema,
    pool_size: { type: 'integer', minimum: 2, maximum: 1000, description: 'Connections to PostgreSQL at most, for each instance; one more listens.', default: 10 },
    connect_timeout_seconds: { type: 'number', exclusiveMinimum: 0, maximum: 60, description: 'Seconds to get a connection to PostgreSQL.', default: 2 },
    statement_timeout_seconds: { type: 'number', exclusiveMinimum: 0, maximum: 60, description: 'Seconds that one statement may take in PostgreSQL.', default: 2 },
  },
} as const satisfies ConfigSchema;
