import { readFileSync } from 'node:fs';
import { documentOf } from '../../src/http/rows.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };

/** openapi/openapi.json: what `GET /api/openapi.json` answers. */
export function openapiDocument(): string {
  return `${JSON.stringify(documentOf(version), null, 2)}\n`;
}
