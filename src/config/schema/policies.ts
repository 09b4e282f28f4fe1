import { ACTION_NAMES } from '../../policy/model/action.ts';
import type { ConfigSchema } from './config-schema.ts';

const providerName = { type: 'string', minLength: 1, description: 'Name of a storage provider.' } as const;
const bucketName = { type: 'string', minLength: 1, description: 'Name of a bucket.' } as const;

const selectorSchema = {
  type: 'object',
  description:
    'The resources of a rule. A selector covers the named resource and everything beneath it. Names are compared exactly; there are no wildcards.',
  discriminator: { propertyName: 'type' },
  required: ['type'],
  oneOf: [
    {
      description: 'Everything.',
      additionalProperties: false,
      required: ['type'],
      properties: { type: { const: 'all', description: 'Everything.' } },
    },
    {
      description: 'A provider with all its buckets and objects.',
      additionalProperties: false,
      required: ['type', 'provider'],
      properties: { type: { const: 'provider', description: 'One provider.' }, provider: providerName },
    },
    {
      description: 'A bucket with all its objects.',
      additionalProperties: false,
      required: ['type', 'provider', 'bucket'],
      properties: { type: { const: 'bucket', description: 'One bucket.' }, provider: providerName, bucket: bucketName },
    },
    {
      description: 'The objects whose key starts with a prefix.',
      additionalProperties: false,
      required: ['type', 'provider', 'bucket', 'prefix'],
      properties: {
        type: { const: 'prefix', description: 'The start of the key.' },
        provider: providerName,
        bucket: bucketName,
        prefix: {
          type: 'string',
          description:
            'Start of the key, compared exactly: `photos` also covers `photos-private/x`, `photos/` does not.',
          examples: ['photos/'],
        },
        each: {
          type: 'string',
          enum: ['subject', 'group'],
          description:
            "Extends the prefix with the person's subject, or with each of their groups, and a slash: for Ada, `users/` with `subject` is `users/ada/`. The prefix is empty or ends with a slash. The claim has to be one path segment: not empty, without a slash or control character, and not `.` or `..`. For any other claim, an allow grants nothing and a deny covers the whole prefix.",
        },
      },
    },
    {
      description: 'One object.',
      additionalProperties: false,
      required: ['type', 'provider', 'bucket', 'key'],
      properties: {
        type: { const: 'object', description: 'One object.' },
        provider: providerName,
        bucket: bucketName,
        key: {
          type: 'string',
          minLength: 1,
          description: 'Key of the object, compared exactly.',
          examples: ['photos/2025/a.jpg'],
        },
      },
    },
  ],
} as const;

const ruleSchema = {
  type: 'object',
  description: 'A rule. A matching deny beats every allow. Without a matching allow, the request is denied.',
  additionalProperties: false,
  required: ['effect', 'actions', 'resources'],
  properties: {
    effect: { type: 'string', enum: ['allow', 'deny'], description: 'Whether the rule allows or denies.' },
    actions: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: ACTION_NAMES, description: 'An action.' },
      description:
        '`providers:read`, `buckets:read` and `objects:read` stand for `providers:list`, `buckets:list`, and `objects:list` with `objects:get`.',
      examples: [['objects:read', 'objects:write']],
    },
    resources: {
      type: 'array',
      minItems: 1,
      items: selectorSchema,
      description: 'The resources to which the rule applies.',
      examples: [[{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'photos/' }]],
    },
  },
} as const;

const documentProperties = {
  version: { type: 'integer', const: 1, description: 'Version of the document format: 1.' },
  name: { type: 'string', minLength: 1, description: 'Name of the policy. Names are unique.', examples: ['team-work'] },
  description: { type: 'string', description: 'The purpose of the policy, for readers. It has no effect.' },
  rules: { type: 'array', items: ruleSchema, description: 'The rules. Set either this, `iam` or `iam_file`.' },
  iam: {
    type: 'object',
    description:
      'An AWS IAM policy document. A document that cannot be imported faithfully is refused. Set either this, `rules` or `iam_file`.',
    additionalProperties: true,
  },
  iam_file: {
    type: 'string',
    minLength: 1,
    description:
      'File with an AWS IAM policy document in JSON, relative to the configuration file. Set either this, `rules` or `iam`.',
    examples: ['policies/partners.json'],
  },
  provider: {
    type: 'string',
    minLength: 1,
    description:
      'Storage provider to which the IAM document applies. Default: every provider. Only for `iam` and `iam_file`.',
  },
} as const;

/** The policy documents of both families. At the top level `version` is required. */
export const policiesSchema = {
  type: 'array',
  description: 'Policy documents: named lists of rules. `policies` and `policy.policies` form one list.',
  default: [],
  items: {
    type: 'object',
    description: 'A policy document, with either `rules`, `iam` or `iam_file`.',
    additionalProperties: false,
    required: ['version', 'name'],
    properties: documentProperties,
  },
} as const satisfies ConfigSchema;

export const policiesDirSchema = {
  type: 'string',
  minLength: 1,
  description:
    'Folder with one policy file for each team, relative to the configuration file. svc reads files in the folder itself that end with `.yaml` or `.yml` and are not hidden. Such a file names its `owner` and contains `policies` with `rules` or `iam`; its schema is `docs/svc.team.schema.json`. Roles and bindings stay in the configuration, so a team cannot decide who gets a policy. A team file cannot use `${…}`. Limits: 1 MiB per file, 8 MiB in total, 1,000 files.',
  examples: ['policies'],
} as const satisfies ConfigSchema;

export const teamFilesSchema = {
  type: 'object',
  description:
    'Buckets that each file of `policies_dir` may name, by file name. Without this key, a file may name every resource. With it, every file needs an entry, and a rule that names anything else is an error.',
  additionalProperties: {
    type: 'object',
    description: 'The limits of one file.',
    additionalProperties: false,
    required: ['buckets'],
    properties: {
      buckets: {
        type: 'array',
        items: {
          type: 'string',
          pattern: '^[^/]+/[^/]+$',
          patternErrorMessage: 'must be a bucket as `PROVIDER/BUCKET`, such as `main/finance`',
          description: 'A bucket: `PROVIDER/BUCKET`.',
        },
        description: 'The buckets that its rules may name, and objects in them.',
        examples: [['main/finance', 'main/invoices']],
      },
    },
  },
} as const satisfies ConfigSchema;

const { iam_file: _, ...teamProperties } = documentProperties;

/** The schema of a file of `policies_dir`. */
export const teamFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'svc policies of a team',
  type: 'object',
  description: 'A file of `policies_dir`: the policies of a team.',
  additionalProperties: false,
  required: ['owner', 'policies'],
  properties: {
    owner: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      description: 'Person or team responsible for the policies: a name or an e-mail address.',
      examples: ['finance-data@example.com'],
    },
    policies: {
      type: 'array',
      description: 'Policy documents: named lists of rules. Names are unique across all files.',
      items: {
        type: 'object',
        description: 'A policy document, with either `rules` or `iam`.',
        additionalProperties: false,
        required: ['version', 'name'],
        properties: teamProperties,
      },
    },
  },
} as const satisfies ConfigSchema;

export const policySchema = {
  type: 'object',
  description: 'Settings for all policies.',
  additionalProperties: false,
  default: {},
  properties: {
    enabled: {
      type: 'boolean',
      description: 'With `false`, everybody who is signed in may do everything.',
      default: true,
    },
    defaults: {
      type: 'boolean',
      description:
        'Adds the policies `default-viewer` (see and read everything), `default-write` (write, delete and share everywhere) and `default-admin` (everything).',
      default: false,
    },
    tests: {
      type: 'array',
      items: { type: 'string', minLength: 1, description: 'A file of cases, relative to the configuration file.' },
      description:
        'Files of cases for `svc policy test`. The service runs them at each start and reload. If a case fails, the service does not start, and a reload changes nothing.',
      default: [],
      examples: [['policy-cases.yaml']],
    },
    policies: {
      type: 'array',
      description: 'Policy documents, as in `policies`; `version` may be left out.',
      default: [],
      items: {
        type: 'object',
        description: 'A policy document, with either `rules`, `iam` or `iam_file`.',
        additionalProperties: false,
        required: ['name'],
        properties: documentProperties,
      },
    },
  },
} as const satisfies ConfigSchema;
