import type { ConfigSchema } from './config-schema.ts';

export const serverSchema = {
  type: 'object',
  description: 'The listening address, and the proxies in front of it.',
  additionalProperties: false,
  default: {},
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      description: 'Address to listen on. `--host` overrides it.',
      default: '127.0.0.1',
      examples: ['0.0.0.0'],
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      description:
        'Port to listen on. With 0, the service takes any free port, and uses it in place of port 0 in `auth.public_origin`, `auth.oidc.redirect_uri` and `auth.oidc.post_logout_redirect_uri` too. `--port` overrides it.',
      default: 8080,
    },
    base_path: {
      type: 'string',
      pattern: '^(/[A-Za-z0-9._~-]+)*$',
      patternErrorMessage:
        'must be empty or a path such as `/storage`: it begins with a slash, has none at its end, and consists of letters, digits, `.`, `_`, `~` and `-`',
      description: 'Path of the service on a shared domain, without a slash at the end.',
      default: '',
      examples: ['/storage'],
    },
    trusted_proxies: {
      type: 'array',
      items: { type: 'string', minLength: 1, description: 'An address or a CIDR.' },
      description:
        'Addresses and CIDRs of your reverse proxies. The service believes `X-Forwarded-For` only from these, with or without ports, so that whoever asks from one of them chooses which address counts. It never reads `Forwarded`.',
      default: [],
      examples: [['10.0.0.5', 'fd00::5']],
    },
    rate_limit: {
      type: 'object',
      description: 'Limits against abuse.',
      additionalProperties: false,
      default: {},
      properties: {
        sign_in_per_minute: {
          type: 'integer',
          minimum: 0,
          description:
            'Maximum number of requests per minute to the sign-in routes from one client address, and of other failed requests without a valid credential. 0 turns the limit off.',
          default: 600,
        },
      },
    },
    workers: {
      type: ['integer', 'string'],
      minimum: 1,
      maximum: 64,
      pattern: '^auto$',
      patternErrorMessage: 'must be a number from 1 to 64, or `auto`',
      description:
        'Number of processes that answer requests on the one port; `auto` for one for each processor. With more than one, sessions cannot be kept in memory. `--workers` overrides it.',
      default: 1,
      examples: ['auto'],
    },
    reload: {
      type: 'string',
      enum: ['off', 'on_signal'],
      description:
        'With `on_signal`, SIGHUP applies policies, roles, bindings, providers and the sign-in secrets from the file, without interrupting a request or connection. If the file has a fault or any other change, SIGHUP changes nothing. With `off`, SIGHUP stops the service.',
      default: 'off',
    },
    metrics: {
      type: 'object',
      description: 'Prometheus metrics on a separate address. Without this key, there are no metrics.',
      additionalProperties: false,
      required: ['port'],
      properties: {
        host: { type: 'string', minLength: 1, description: 'Address to listen on.', default: '127.0.0.1' },
        port: {
          type: 'integer',
          minimum: 0,
          maximum: 65535,
          description: 'Port to listen on. 0 takes any free port.',
          examples: [9464],
        },
      },
    },
  },
} as const satisfies ConfigSchema;

export const logSchema = {
  type: 'object',
  description: 'The log, on standard error.',
  additionalProperties: false,
  default: {},
  properties: {
    level: {
      type: 'string',
      enum: ['error', 'warn', 'info', 'debug'],
      description: 'The lowest level that is written.',
      default: 'info',
    },
    format: {
      type: 'string',
      enum: ['json', 'text'],
      description: '`json`: one JSON object per line, for machines. `text`: for people.',
      default: 'text',
    },
  },
} as const satisfies ConfigSchema;
