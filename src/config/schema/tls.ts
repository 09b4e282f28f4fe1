import type { ConfigSchema } from './config-schema.ts';

export const tlsSchema = {
  type: 'object',
  description: 'TLS settings of this connection.',
  additionalProperties: false,
  properties: {
    ca_file: {
      type: 'string',
      minLength: 1,
      description:
        'PEM file with certificate authorities to trust on this connection, in addition to those that Node knows, relative to the configuration file. To trust them on all connections, set `NODE_EXTRA_CA_CERTS`.',
      examples: ['/etc/ssl/certs/company-ca.pem'],
    },
  },
} as const satisfies ConfigSchema;

/** For servers that ask for a client certificate. */
export const clientTlsSchema = {
  ...tlsSchema,
  description: 'TLS settings of this connection.',
  properties: {
    ...tlsSchema.properties,
    cert_file: {
      type: 'string',
      minLength: 1,
      description:
        'PEM file with the client certificate of the service, relative to the configuration file. Requires `key_file`.',
      examples: ['/etc/svc/client.crt'],
    },
    key_file: {
      type: 'string',
      minLength: 1,
      description: 'PEM file with the private key of the client certificate, relative to the configuration file.',
      examples: ['/etc/svc/client.key'],
    },
  },
} as const satisfies ConfigSchema;
