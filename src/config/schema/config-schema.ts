import type { ExtendedJSONSchema } from 'json-schema-to-ts';

/** JSON Schema, with a sentence for a text that does not match its `pattern`. Editors show it too. */
export type ConfigSchema = ExtendedJSONSchema<{ readonly patternErrorMessage: string }>;
