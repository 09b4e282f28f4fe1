import { ACTION_NAMES } from '../../policy/action.ts';
import type { ConfigSchema } from './config-schema.ts';

const providerName = { type: 'string', minLength: 1, description: 'Name of a storage provider.' } as const;
const bucketName = { type: 'string', minLength: 1, description: 'Name of a bucket.' } as const;

const selectorSchema = {
  type: 'object',
  description: 'What a rule is about. A selector covers what it names and everything beneath it. Names are compared exactly; there are no wildcards.',
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
          description: 'Start of the key, compared exactly: `photos` also covers `photos-private/x`, `photos/` does not.',
          examples: ['photos/'],
        },
        each: {
          type: 'string',
          enum: ['subject', 'group'],
          description:
            "Stands for the prefix followed by the person's subject, or by each of their groups, and a slash: `users/` and `subject` are `users/ada/` to Ada. The prefix is empty or ends with a slash. A claim counts that is one segment of a path: not empty, no slash, no control character, not `.` or `..`. For any other an allow gives nothing, and a deny covers the whole prefix.",
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
        key: { type: 'string', minLength: 1, description: 'Key of the object, compared exactly.', examples: ['photos/2025/a.jpg'] },
      },
    },
  ],
} as const;

const ruleSchema = {
  type: 'object',
  description: 'A rule. A matching deny beats every allow; without a matching allow the answer is no.',
  additionalProperties: false,
  required: ['effect', 'actions', 'resources'],
  properties: {
    effect: { type: 'string', enum: ['allow', 'deny'], description: 'What the rule says.' },
    actions: {
      type: 'array',
      minItems: 1,
      items: { type: 'string', enum: ACTION_NAMES, description: 'An action.' },
      description: '`providers:read`, `buckets:read` and `objects:read` stand for `providers:list`, `buckets:list`, and `objects:list` with `objects:get`.',
      examples: [['objects:read', 'objects:write']],
    },
    resources: {
      type: 'array',
      minItems: 1,
      items: selectorSchema,
      description: 'What the rule is about.',
      examples: [[{ type: 'prefix', provider: 'main', bucket: 'photos', prefix: 'photos/' }]],
    },
  },
} as const;

const documentProperties = {
  version: { type: 'integer', const: 1, description: 'Version of the document format: 1.' },
  name: { type: 'string', minLength: 1, description: 'Name of the policy, used once.', examples: ['team-work'] },
  description: { type: 'string', description: 'What the policy is for. Read by people only.' },
  rules: { type: 'array', items: ruleSchema, description: 'The rules. This, `iam` or `iam_file`.' },
  iam: {
    type: 'object',
    description: 'An AWS IAM policy document. What cannot be carried over faithfully is refused, never dropped. This, `rules` or `iam_file`.',
    additionalProperties: true,
  },
  iam_file: {
    type: 'string',
    minLength: 1,
    description: 'File with an AWS IAM policy document in JSON, relative to the configuration file. This, `rules` or `iam`.',
    examples: ['policies/partners.json'],
  },
  provider: {
    type: 'string',
    minLength: 1,
    description: 'Name of the storage provider that the IAM document is about; every provider when left out. For `iam` and `iam_file`.',
  },
} as const;

/** Policy documents of both families; at the top level `version` has to be there. */
export const policiesSchema = {
  type: 'array',
  description: 'Policy documents: named rules. `policies` and `policy.policies` are one list.',
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
    'Folder with a file of policies for each team, relative to the configuration file: those that end with `.yaml` or `.yml`, in the folder itself, not hidden. Such a file names its `owner`, and holds `policies` with `rules` or `iam`; its schema is `docs/svc.team.schema.json`. Roles and bindings stay here: who is given a policy is not said by the team. It takes no value from outside (`${…}`). A file has at most 1 MiB, all together have at most 8 MiB, and there are at most 1,000.',
  examples: ['policies'],
} as const satisfies ConfigSchema;

export const teamFilesSchema = {
  type: 'object',
  description: 'What each file of `policies_dir` may speak of, by its name. Left out: of everything. Otherwise every file needs an entry here, and a rule about anything else is an error.',
  additionalProperties: {
    type: 'object',
    description: 'What one file may speak of.',
    additionalProperties: false,
    required: ['buckets'],
    properties: {
      buckets: {
        type: 'array',
        items: { type: 'string', pattern: '^[^/]+/[^/]+$', patternErrorMessage: 'must be a bucket as `PROVIDER/BUCKET`, such as `main/finance`', description: 'A bucket: `PROVIDER/BUCKET`.' },
        description: 'The buckets that its rules may name, and objects in them.',
        examples: [['main/finance', 'main/invoices']],
      },
    },
  },
} as const satisfies ConfigSchema;

const { iam_file: _, ...teamProperties } = documentProperties;

/** A file of `policies_dir`. */
export const teamFileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'svc policies of a team',
  type: 'object',
  description: 'A file of `policies_dir`: the policies of a team.',
  additionalProperties: false,
  required: ['owner', 'policies'],
  properties: {
    owner: { type: 'string', minLength: 1, maxLength: 200, description: 'Who answers for the policies: a name or an e-mail address.', examples: ['finance-data@example.com'] },
    policies: {
      type: 'array',
      description: 'Policy documents: named rules. Names count together with those of all other files.',
      items: { type: 'object', description: 'A policy document, with either `rules` or `iam`.', additionalProperties: false, required: ['version', 'name'], properties: teamProperties },
    },
  },
} as const satisfies ConfigSchema;

export const policySchema = {
  type: 'object',
  description: 'Whether and which policies are in force.',
  additionalProperties: false,
  default: {},
  properties: {
    enabled: { type: 'boolean', description: 'False: whoever is signed in may do everything.', default: true },
    defaults: {
      type: 'boolean',
      description:
        'Adds the policies `default-viewer` (see and read everything), `default-write` (write, delete and share everywhere) and `default-admin` (everything).',
      default: false,
    },
    tests: {
      type: 'array',
      items: { type: 'string', minLength: 1, description: 'A file of cases, relative to the configuration file.' },
      description: 'Files of cases for `svc policy test`. They are asked at each start and reload: when one does not come out as expected, the service does not start, and a reload changes nothing.',
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
