import type { ConfigSchema } from './config-schema.ts';
import { clientTlsSchema } from './tls.ts';

export const sessionSchema = {
  type: 'object',
  description: 'Where sessions are stored, and for how long.',
  additionalProperties: false,
  default: {},
  properties: {
    type: {
      type: 'string',
      enum: ['memory', 'database', 'redis'],
      description:
        '`memory`: for one instance; a restart ends all sessions. `database`: in the state database (`state.path` for one instance, also with several workers, `state.url` for any number). `redis`: shared by any number of instances.',
      default: 'memory',
    },
    ttl_seconds: {
      type: 'integer',
      minimum: 1,
      maximum: 31536000,
      description: 'Lifetime of a session in seconds, counted from sign-in, whether it is used or not.',
      default: 28800,
    },
    capacity: {
      type: 'integer',
      minimum: 1,
      maximum: 10000000,
      description:
        'Maximum number of sessions, for `memory` and `database`. When it is reached, sign-ins are refused and no session is ended. Administrators may exceed it by 5 %, at least by one session.',
      default: 4096,
    },
    per_subject: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Maximum number of sessions per person. Another sign-in ends the oldest one.',
      default: 64,
    },
    url: {
      type: 'string',
      minLength: 1,
      writeOnly: true,
      description:
        'URL of a RESP-compatible server, for `redis`. Use `rediss://` for TLS, and name the ACL user if there is one. With `sentinel` or `cluster`, list several Sentinels or nodes, separated by commas; user and password are those of the Redis servers.',
      examples: [
        '${REDIS_URL:-redis://127.0.0.1:6379}',
        'rediss://user:password@redis.example.com:6379/0',
        'redis://user:password@sentinel-1:26379,sentinel-2:26379,sentinel-3:26379',
      ],
    },
    sentinel: {
      type: 'object',
      description: 'Redis is behind Sentinels: `url` names the Sentinels, and they name the server.',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: {
          type: 'string',
          minLength: 1,
          description: 'Name of the server in the configuration of the Sentinels.',
          examples: ['mymaster'],
        },
        username: { type: 'string', minLength: 1, description: 'User at the Sentinels, if they require one.' },
        password: {
          type: 'string',
          minLength: 1,
          writeOnly: true,
          description: 'Password at the Sentinels, if they require one.',
          examples: ['${file:/run/secrets/sentinel}'],
        },
      },
    },
    cluster: {
      type: 'boolean',
      description:
        'Whether `url` names nodes of a Redis Cluster. All keys of the service have the tag `{svc}`, so one node and its replicas hold them: a Cluster provides failover, but does not distribute sessions over several nodes.',
      default: false,
    },
    tls: clientTlsSchema,
  },
} as const satisfies ConfigSchema;
