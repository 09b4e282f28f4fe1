import type { JSONSchema } from 'json-schema-to-ts';

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
} as const satisfies JSONSchema;
