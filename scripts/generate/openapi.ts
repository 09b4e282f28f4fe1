import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { documentOf } from '../../src/http/rows.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** openapi/openapi.json: what `GET /api/openapi.json` answers. */
export function openapiDocument(): string {
  return `${JSON.stringify(documentOf(version), null, 2)}\n`;
}

/** openapi/openapi.d.ts: the same as types, for a client made with openapi-fetch. */
export async function openapiTypes(): Promise<string> {
  // A member with a default may still be left out of a request.
  return `/* Made from openapi.json by npm run build:docs. */\n\n${astToString(await openapiTS(openapiDocument()))}`;
}
