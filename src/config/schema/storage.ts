import { NO_PROVIDER_NAME, PROVIDER_NAME } from '../../policy/model/name.ts';
import type { ConfigSchema } from './config-schema.ts';
import { clientTlsSchema, tlsSchema } from './tls.ts';

export const providersSchema = {
  type: 'array',
  description: 'The storage providers.',
  default: [],
  items: {
    type: 'object',
    description: 'A storage provider.',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: {
        type: 'string',
        pattern: PROVIDER_NAME,
        patternErrorMessage: NO_PROVIDER_NAME,
        description:
          'Name of the provider in policies and addresses: at most 63 letters, digits, dots, hyphens and underscores. It cannot be `session`, `apiKey`, `s3Key` or `person`.',
        examples: ['main'],
      },
      type: { type: 'string', enum: ['s3'], description: 'Kind of storage.', default: 's3' },
      endpoint: {
        type: 'string',
        minLength: 1,
        description:
          'URL at which the service reaches the storage. A path in it comes before the bucket in every request. Default: Amazon S3 in `region`.',
        examples: ['https://s3.example.com'],
      },
      region: {
        type: 'string',
        minLength: 1,
        description: 'Region for which requests are signed.',
        default: 'us-east-1',
      },
      path_style: {
        type: 'boolean',
        description:
          'Whether to use `https://host/bucket/key` instead of `https://bucket.host/key`. `true` is right for MinIO, Ceph, Garage and most others.',
        default: true,
      },
      dot_segments: {
        type: 'string',
        enum: ['refuse', 'keep'],
        description:
          'Treatment of keys with a segment `.` or `..`, such as `a/../b`. `refuse`: requests are refused and listings omit these keys, because storage, or a proxy in front of it, may resolve them to a key that policy was not asked about. `keep`: for storage that is reached directly and does not resolve them (Ceph, Amazon).',
        default: 'refuse',
      },
      public_endpoint: {
        type: 'string',
        minLength: 1,
        description:
          'URL at which people reach the storage, if it differs from `endpoint`. Presigned links are signed for it, with its path.',
        examples: ['https://files.example.com'],
      },
      buckets: {
        type: 'array',
        items: { type: 'string', minLength: 1, description: 'Name of a bucket.' },
        description:
          'Names of the buckets, if the credentials cannot list them. The service then does not ask the storage for a list.',
        examples: [['backups', 'media']],
      },
      owner: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description:
          'Person or team responsible for the buckets: a name or an e-mail address. `svc access review` uses it.',
        examples: ['storage@example.com'],
      },
      owners: {
        type: 'object',
        description: 'Owners of single buckets, by bucket name, if they differ from `owner`.',
        additionalProperties: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'A name or an e-mail address.',
        },
        examples: [{ finance: 'cfo@example.com' }],
      },
      credentials: {
        type: 'object',
        description: 'Access key of the service. Default: the AWS default chain (environment, profile, instance role).',
        additionalProperties: false,
        required: ['access_key_id', 'secret_access_key'],
        properties: {
          access_key_id: {
            type: 'string',
            minLength: 1,
            writeOnly: true,
            description: 'Access key ID.',
            examples: ['${S3_ACCESS_KEY_ID}'],
          },
          secret_access_key: {
            type: 'string',
            minLength: 1,
            writeOnly: true,
            description: 'Secret access key.',
            examples: ['${file:/run/secrets/s3}'],
          },
          session_token: {
            type: 'string',
            minLength: 1,
            writeOnly: true,
            description: 'Session token, for temporary credentials.',
          },
        },
      },
      tls: tlsSchema,
      connect_timeout_seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 300,
        description: 'Time limit in seconds to establish a connection.',
        default: 5,
      },
      timeout_seconds: {
        type: 'number',
        exclusiveMinimum: 0,
        maximum: 3600,
        description: 'Maximum number of seconds without data while the service waits for a response or its next bytes.',
        default: 30,
      },
    },
  },
} as const satisfies ConfigSchema;

export const thumbnailsSchema = {
  type: 'object',
  description:
    'Small versions of pictures, for the gallery of the web UI. `sharp` draws them in separate processes, for people who may read the picture.',
  additionalProperties: false,
  default: {},
  properties: {
    enabled: { type: 'boolean', description: 'Whether the service draws thumbnails.', default: true },
    path: {
      type: 'string',
      minLength: 1,
      description:
        'Folder for thumbnails, relative to the configuration file. Default: `thumbnails` beside the state database, or, without a state database, a temporary folder that is deleted when the service stops, or at the next start after a crash. Thumbnails show the content of pictures: keep the folder private.',
      examples: ['/var/cache/svc/thumbnails'],
    },
    max_bytes: {
      type: 'integer',
      minimum: 1_048_576,
      description: 'Maximum number of bytes on the disk. The least recently used thumbnails are removed first.',
      default: 268_435_456,
    },
  },
} as const satisfies ConfigSchema;

export const stateSchema = {
  type: 'object',
  description:
    'The state database, for API keys and for sessions of the type `database`: an SQLite file for one instance, or PostgreSQL for any number. It contains ID tokens: keep it private.',
  additionalProperties: false,
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      description: 'File of an SQLite database, relative to the configuration file.',
      examples: ['state.db'],
    },
    url: {
      type: 'string',
      minLength: 1,
      writeOnly: true,
      description:
        'A PostgreSQL database (13 or newer), instead of `path`. The service creates its tables in the schema `svc`. Separate several servers with commas; the service uses the one that accepts changes. `sslmode=verify-full` turns TLS on, as `tls` does; certificates are always verified.',
      examples: [
        'postgresql://svc@db.example.com:5432/svc',
        'postgresql://svc:${file:/run/secrets/db}@db-1:5432,db-2:5432/svc',
      ],
    },
    password_file: {
      type: 'string',
      minLength: 1,
      description:
        'File with the password for `url`, relative to the configuration file. The service reads it for each connection, so you can change the password while the service runs.',
      examples: ['/run/secrets/db-password'],
    },
    tls: clientTlsSchema,
    pool_size: {
      type: 'integer',
      minimum: 2,
      maximum: 1000,
      description: 'Maximum number of connections to PostgreSQL per instance, plus one that listens for notifications.',
      default: 10,
    },
    connect_timeout_seconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      description: 'Time limit in seconds to establish a connection to PostgreSQL.',
      default: 2,
    },
    statement_timeout_seconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 60,
      description: 'Time limit in seconds for one statement in PostgreSQL.',
      default: 2,
    },
  },
} as const satisfies ConfigSchema;
