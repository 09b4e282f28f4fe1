import type { ConfigSchema } from './config-schema.ts';

export const tlsSchema = {
  type: 'object',
  description: 'Which certificates are trusted on this connection.',
  additionalProperties: false,
  properties: {
    ca_file: {
      type: 'string',
      minLength: 1,
      description: 'File of PEM certificates of authorities that are trusted here besides those that Node knows, relative to the configuration file. For all connections at once set `NODE_EXTRA_CA_CERTS`.',
      examples: ['/etc/ssl/certs/company-ca.pem'],
    },
  },
} as const satisfies ConfigSchema;

/** For servers that ask who connects. */
export const clientTlsSchema = {
  ...tlsSchema,
  description: 'Which certificates are trusted on this connection, and which one the service shows.',
  properties: {
    ...tlsSchema.properties,
    cert_file: { type: 'string', minLength: 1, description: 'PEM file of the certificate that the service shows, relative to the configuration file. Needs `key_file`.', examples: ['/etc/svc/client.crt'] },
    key_file: { type: 'string', minLength: 1, description: 'PEM file of its private key, relative to the configuration file.', examples: ['/etc/svc/client.key'] },
  },
} as const satisfies ConfigSchema;
