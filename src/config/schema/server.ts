import type { ConfigSchema } from './config-schema.ts';

export const serverSchema = {
  type: 'object',
  description: 'Where the service listens, and what is in front of it.',
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
      description: 'Port to listen on; 0 takes any free one, which then stands for port 0 in `auth.public_origin`, `auth.oidc.redirect_uri` and `auth.oidc.post_logout_redirect_uri` too. `--port` overrides it.',
      default: 8080,
    },
    base_path: {
      type: 'string',
      pattern: '^(/[A-Za-z0-9._~-]+)*$',
      patternErrorMessage: 'must be empty or a path such as `/storage`: it begins with a slash, has none at its end, and consists of letters, digits, `.`, `_`, `~` and `-`',
      description: 'Path below which the service is reached, for a place on a shared domain. No slash at the end.',
      default: '',
      examples: ['/storage'],
    },
    trusted_proxies: {
      type: 'array',
      items: { type: 'string', minLength: 1, description: 'An address or a CIDR.' },
      description: 'Addresses and CIDRs of reverse proxies. `X-Forwarded-*` headers count only when they come from there.',
      default: [],
      examples: [['10.0.0.0/8', 'fd00::/8']],
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
          description: 'Requests to the sign-in routes in a minute from one client address; 0 turns the limit off.',
          default: 600,
        },
      },
    },
    reload: {
      type: 'string',
      enum: ['off', 'on_signal'],
      description: 'With `on_signal` SIGHUP takes over policies, roles, bindings, providers and the secrets of sign-in from the file, without an end to any request or connection. A file with a fault, or with any other change, changes nothing. With `off` SIGHUP stops the service.',
      default: 'off',
    },
    metrics: {
      type: 'object',
      description: 'Prometheus metrics on an address of their own. Left out: no metrics.',
      additionalProperties: false,
      required: ['port'],
      properties: {
        host: { type: 'string', minLength: 1, description: 'Address to listen on.', default: '127.0.0.1' },
        port: { type: 'integer', minimum: 0, maximum: 65535, description: 'Port to listen on; 0 takes any free one.', examples: [9464] },
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
    level: { type: 'string', enum: ['error', 'warn', 'info', 'debug'], description: 'The least important level that is written.', default: 'info' },
    format: { type: 'string', enum: ['json', 'text'], description: 'A JSON object a line for machines, or text for people.', default: 'text' },
  },
} as const satisfies ConfigSchema;
