import type { ExtendedJSONSchema } from 'json-schema-to-ts';

/** JSON Schema, with a message for texts that do not match their `pattern`. Editors show it too. */
export type ConfigSchema = ExtendedJSONSchema<{ readonly patternErrorMessage: string }>;
