import type { ConfigSchema } from './config-schema.ts';

export const s3Schema = {
  type: 'object',
  description:
    'The S3 endpoint, for tools that speak S3, with S3 keys of each person. The keys are stored in the state database (`state`). Without this key, there is no S3 endpoint and there are no S3 keys.',
  additionalProperties: false,
  required: ['port', 'public_endpoint'],
  properties: {
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      description:
        'Port to listen on. With 0, the service takes any free port, and uses it in place of port 0 in `s3.public_endpoint`.',
      examples: [8081],
    },
    host: {
      type: 'string',
      minLength: 1,
      description: 'Address to listen on. Default: `server.host`.',
      examples: ['0.0.0.0'],
    },
    public_endpoint: {
      type: 'string',
      minLength: 1,
      description:
        'Scheme, host and port of the address that tools use, without a path. Tools may also write the bucket in front of the host, as in `https://photos.s3.example.com`; the name service, the certificate and the proxy then need a wildcard.',
      examples: ['https://s3.example.com'],
    },
    region: {
      type: 'string',
      pattern: '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$',
      patternErrorMessage: 'must be at most 64 lower-case letters, digits and hyphens, such as `svc` or `eu-1`',
      description:
        'Region that tools are told. Requests that are signed for another one are accepted too. Do not use `us-east-1`: boto3 then signs links with version 2, which is refused.',
      default: 'svc',
      examples: ['eu-1'],
    },
    secret: {
      type: 'string',
      minLength: 1,
      writeOnly: true,
      description:
        'Secret from which the secrets of all S3 keys are derived, at least 32 bytes. The state database without it is of no use to a thief. All instances need the same one. Default: the environment variable `SVC_S3_SECRET`, or the file that `SVC_S3_SECRET_FILE` names.',
      examples: ['${file:/run/secrets/s3}'],
    },
    key_capacity: {
      type: 'integer',
      minimum: 1,
      maximum: 1000000,
      description: 'Maximum number of S3 keys. Administrators may exceed it by 5 %, at least by one key.',
      default: 4096,
    },
    max_lifetime_days: {
      type: 'integer',
      minimum: 1,
      maximum: 3650,
      description: 'Maximum lifetime of an S3 key in days. A key for which no end is asked gets it.',
      default: 365,
    },
    max_days_since_sign_in: {
      type: 'integer',
      minimum: 0,
      maximum: 3650,
      description:
        'Number of days after which the S3 keys of a person rest, until the person signs in again. 0 turns this off.',
      default: 0,
    },
    web_identity: {
      type: 'array',
      maxItems: 64,
      default: [],
      description:
        'Issuers of tokens with which programs get temporary credentials (`AssumeRoleWithWebIdentity`), for example jobs of GitHub or GitLab. Bindings by `subjects: [{issuer, subject}]` say what they may do; a token to which nothing is bound gets none.',
      items: {
        type: 'object',
        description: 'An issuer of tokens.',
        additionalProperties: false,
        required: ['issuer', 'audience'],
        properties: {
          issuer: {
            type: 'string',
            minLength: 1,
            description: 'Issuer URL, exactly as in the tokens. HTTPS, except on loopback.',
            examples: ['https://token.actions.githubusercontent.com'],
          },
          audience: {
            type: 'string',
            minLength: 1,
            description: 'Audience (`aud`) that a token has to name.',
            examples: ['https://s3.example.com'],
          },
          groups_claim: {
            type: 'string',
            minLength: 1,
            description:
              'Claim with the groups: a string or a list of strings, with dots as in `identity.groups_claim`. A token without this claim is refused; an empty list is a claim. When the key is left out, no token has groups.',
            examples: ['repository'],
          },
        },
      },
    },
    max_session_seconds: {
      type: 'integer',
      minimum: 900,
      maximum: 43200,
      description:
        'Maximum lifetime of temporary credentials in seconds. They last so long when the request says nothing.',
      default: 3600,
    },
  },
} as const satisfies ConfigSchema;
