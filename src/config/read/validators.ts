import { Ajv, type ValidateFunction } from 'ajv';
import { teamFileSchema } from '../schema/policies.ts';
import { configSchema } from '../schema/schema.ts';

/** The schemas of the files that are read. */
export const schemas = { config: configSchema, teamFile: teamFileSchema };

/** How their validators are compiled. `code` says how the code of a validator is written. */
export function ajvFor(code: { readonly optimize: false; readonly source?: true }): Ajv {
  return new Ajv({
    allErrors: true,
    discriminator: true,
    useDefaults: true,
    strictTypes: false,
    strictSchema: false,
    verbose: true,
    meta: false,
    validateSchema: false,
    code,
  });
}

const compiled: { [name in keyof typeof schemas]?: ValidateFunction } = {};

/** The validator of a file, compiled when it is first needed. The build puts compiled validators in place of this module (`scripts/build/validators.ts`). */
export function validatorOf(name: keyof typeof schemas): ValidateFunction {
  return (compiled[name] ??= ajvFor({ optimize: false }).compile(schemas[name]));
}
