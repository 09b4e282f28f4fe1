import { stripTypeScriptTypes } from 'node:module';

/** Blanks out the types, so that everything stays where it stands in the source. */
// eslint-disable-next-line import/no-default-export -- jest takes a transform from the default export
export default { process: (code: string): { readonly code: string } => ({ code: stripTypeScriptTypes(code) }) };
