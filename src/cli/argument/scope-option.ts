import { readFile } from 'node:fs/promises';
import { ATOMIC_ACTIONS, COMPOUND_ACTIONS, isActionName, type ActionName } from '../../policy/model/action.ts';
import type { Selector } from '../../policy/model/resource.ts';
import { unknownAction } from '../../config/read/unknown-action.ts';
import type { ApiKeyScopeWire } from '../../wire/api-key.ts';
import { usageFault } from '../terminal/cli-failure.ts';
import { parseRemote } from './remote-path.ts';
import { columns } from '../terminal/text.ts';

export type ScopeOptions = { readonly allow?: readonly string[]; readonly scope?: string };

/** The names of all actions, for help. */
export const ACTIONS_HELP = `Actions:
${indented(columns(chunksOf(ATOMIC_ACTIONS, 4)))}
and for several at once:
${indented(columns(Object.entries(COMPOUND_ACTIONS).map(([name, actions]) => [name, actions.join(', ')])))}`;

export const SCOPE_HELP = `A scope limits a key. A key may do what its creator could do when it was
created, under the policies of today, as far as its scope allows it. Give the
scope with --allow, or with --scope and a file.

  --allow ACTIONS=PLACE   ACTIONS is a list, such as objects:read,objects:write.
                          PLACE is one of
                            all
                            PROVIDER                 with everything in it
                            PROVIDER/BUCKET          with everything in it
                            PROVIDER/BUCKET/FOLDER/  what is beneath
                            PROVIDER/BUCKET/KEY      this object alone
  --scope FILE            such as
                            {"rules": [{
                              "actions": ["objects:read"],
                              "resources": [{
                                "type": "prefix", "provider": "main",
                                "bucket": "photos", "prefix": "2025/"
                              }]
                            }]}
                          The types are all, provider, bucket, prefix and
                          object; an object has a "key".

${ACTIONS_HELP}`;

/**
 * The scope that the options describe.
 *
 * @throws {CliFailure} usage
 */
export async function scopeOf({ allow = [], scope }: ScopeOptions): Promise<ApiKeyScopeWire> {
  if ((allow.length === 0) === (scope === undefined))
    throw usageFault('say what the key may do: either `--allow ACTIONS=PLACE` (may be repeated) or `--scope FILE`');
  if (scope === undefined) return { rules: allow.map(ruleOf) };
  try {
    return JSON.parse(await readFile(scope, 'utf8')) as ApiKeyScopeWire;
  } catch (error) {
    if (error instanceof SyntaxError) throw usageFault(`${scope}: is not valid JSON`);
    throw error;
  }
}

function ruleOf(text: string): ApiKeyScopeWire['rules'][number] {
  const at = text.indexOf('=');
  if (at < 1)
    throw usageFault(`\`${text}\` is not \`ACTIONS=PLACE\`; write for example \`--allow objects:read=main/photos\``);
  return { actions: text.slice(0, at).split(',').map(parseAction), resources: [selectorOf(text.slice(at + 1))] };
}

/** @throws {CliFailure} usage */
export function parseAction(text: string): ActionName {
  const name = text.trim();
  if (!isActionName(name)) throw usageFault(unknownAction(name));
  return name;
}

function selectorOf(place: string): Selector {
  if (place === 'all') return { type: 'all' };
  const { provider, bucket, key } = parseRemote(place);
  if (bucket === undefined) return { type: 'provider', provider };
  if (key === '') return { type: 'bucket', provider, bucket };
  return key.endsWith('/')
    ? { type: 'prefix', provider, bucket, prefix: key }
    : { type: 'object', provider, bucket, key };
}

function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}
