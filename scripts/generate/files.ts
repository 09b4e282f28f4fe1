import { auditReference } from './audit.ts';
import { commandLineReference } from './command-line.ts';
import { configurationReference } from './configuration.ts';
import { editorSchema, teamEditorSchema } from './editor-schema.ts';
import { errorReference } from './errors.ts';
import { openapiDocument, openapiTypes } from './openapi.ts';

/** A file that is made from the source. Its path is relative to the checkout. */
export type GeneratedFile = { readonly file: string; readonly content: string };

/** Every generated file. A test asserts that what is committed is what these make. */
export async function generatedFiles(): Promise<GeneratedFile[]> {
  return [
    { file: 'docs/audit.md', content: auditReference() },
    { file: 'docs/cli.md', content: commandLineReference() },
    { file: 'docs/configuration.md', content: configurationReference() },
    { file: 'docs/svc.config.schema.json', content: editorSchema() },
    { file: 'docs/svc.team.schema.json', content: teamEditorSchema() },
    { file: 'docs/errors.md', content: errorReference() },
    { file: 'openapi/openapi.json', content: openapiDocument() },
    { file: 'openapi/openapi.d.ts', content: await openapiTypes() },
  ];
}
