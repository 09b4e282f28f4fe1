import type { FromSchema } from 'json-schema-to-ts';
import { auditSchema } from './audit.ts';
import { authSchema, identitySchema } from './auth.ts';
import { bindingsSchema, rolesSchema } from './bindings.ts';
import type { ConfigSchema } from './config-schema.ts';
import { policiesDirSchema, policiesSchema, policySchema, teamFilesSchema, type teamFileSchema } from './policies.ts';
import { s3Schema } from './s3.ts';
import { logSchema, serverSchema } from './server.ts';
import { providersSchema, stateSchema, thumbnailsSchema } from './storage.ts';
import { uiSchema } from './ui.ts';

/**
 * Every key of the configuration file. It is the single source of the type, the validation, the editor's schema and docs/configuration.md. `writeOnly` marks a
 * secret: its value is never printed.
 */
export const configSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'svc configuration',
  type: 'object',
  description: 'The configuration file of svc.',
  additionalProperties: false,
  properties: {
    server: serverSchema,
    auth: authSchema,
    identity: identitySchema,
    state: stateSchema,
    providers: providersSchema,
    s3: s3Schema,
    thumbnails: thumbnailsSchema,
    policy: policySchema,
    policies: policiesSchema,
    policies_dir: policiesDirSchema,
    team_files: teamFilesSchema,
    roles: rolesSchema,
    bindings: bindingsSchema,
    ui: uiSchema,
    audit: auditSchema,
    log: logSchema,
  },
} as const satisfies ConfigSchema;

/** A valid configuration, with its defaults filled in. */
export type Config = FromSchema<typeof configSchema>;

/** A valid file of `policies_dir`. */
export type TeamFileContent = FromSchema<typeof teamFileSchema>;

export type PolicyDocument = Config['policy']['policies'][number];
export type BindingEntry = Config['bindings'][number];
