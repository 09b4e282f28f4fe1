import type { ConfigSchema } from './config-schema.ts';

/** A subject or a group. A sign-in with another text is refused, because databases do not keep it. */
export const claimText = {
  minLength: 1,
  pattern: '^[^\\u0000\\ud800-\\udfff]*$',
  patternErrorMessage: 'must not hold U+0000 or half of a surrogate pair, which no sign-in has',
} as const;

export const bindingsSchema = {
  type: 'array',
  description:
    'Who gets which role or policies. `auth.bindings` and `bindings` form one list. A person who matches several entries gets all of them.',
  default: [],
  items: {
    type: 'object',
    description: 'An entry names either `groups` or `subjects`, and gives either a `role` or `policies`.',
    additionalProperties: false,
    properties: {
      groups: {
        type: 'array',
        minItems: 1,
        items: { type: 'string', ...claimText, description: 'A group name.' },
        description:
          'Group names, exactly as the identity provider sends them. A person matches if they are in one of the groups.',
        examples: [['storage-admins']],
      },
      subjects: {
        type: 'array',
        minItems: 1,
        items: {
          type: ['string', 'object'],
          ...claimText,
          additionalProperties: false,
          required: ['issuer', 'subject'],
          properties: {
            issuer: { type: 'string', minLength: 1, description: 'Issuer URL, exactly as in the ID token.' },
            subject: { type: 'string', ...claimText, description: 'Value of the subject claim.' },
          },
          description: 'Value of the subject claim at `auth.oidc.issuer`, or `{issuer, subject}`.',
        },
        description: 'Single people.',
        examples: [['f3b1…'], [{ issuer: 'https://login.example.com', subject: 'f3b1…' }]],
      },
      role: { type: 'string', minLength: 1, description: 'Name of a role under `roles`.', examples: ['viewer'] },
      policies: {
        type: 'array',
        items: { type: 'string', minLength: 1, description: 'A policy name.' },
        description: 'Names of policies.',
        examples: [['default-viewer']],
      },
    },
  },
} as const satisfies ConfigSchema;

export const rolesSchema = {
  type: 'object',
  description:
    'Roles by name. A role is a name for several policies; the role named `admin` also opens the administration pages.',
  default: {},
  additionalProperties: {
    type: 'object',
    description: 'A role.',
    additionalProperties: false,
    required: ['policies'],
    properties: {
      policies: {
        type: 'array',
        items: { type: 'string', minLength: 1, description: 'A policy name.' },
        description: 'Names of the policies in the role.',
        examples: [['default-viewer', 'default-write']],
      },
    },
  },
} as const satisfies ConfigSchema;
