import { readFile } from 'node:fs/promises';
import { ACTION_NAMES, isActionName, type ActionName } from '../policy/action.ts';
import type { Selector } from '../policy/resource.ts';
import { didYouMean } from '../config/nearest.ts';
import type { ApiKeyScopeWire } from '../wire/rpc.ts';
import { usageFault } from './cli-failure.ts';
import { parseRemote } from './remote-path.ts';

export type ScopeOptions = { readonly allow?: readonly string[]; readonly scope?: string };

export const SCOPE_HELP = `A scope only ever narrows: a key may do what its creator may do and its scope allows.
  --allow ACTIONS=PLACE   may be repeated. ACTIONS is a list such as \`objects:read,objects:write\`; PLACE is \`all\`,
                          \`PROVIDER\`, \`PROVIDER/BUCKET\`, \`PROVIDER/BUCKET/FOLDER/\` (what is beneath) or
                          \`PROVIDER/BUCKET/KEY\` (this object alone)
  --scope FILE            the same as JSON: {"rules": [{"actions": […], "resources": [{"type": "bucket", …}]}]}
Actions: ${ACTION_NAMES.join(', ')}`;

/** The scope that the options ask for. @throws {CliFailure} usage */
export async function scopeOf({ allow = [], scope }: ScopeOptions): Promise<ApiKeyScopeWire> {
  if ((allow.length === 0) === (scope === undefined)) throw usageFault('say what the key may do: either `--allow ACTIONS=PLACE` (may be repeated) or `--scope FILE`');
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
  if (at < 1) throw usageFault(`\`${text}\` is not \`ACTIONS=PLACE\`; write for example \`--allow objects:read=main/photos\``);
  return { actions: text.slice(0, at).split(',').map(parseAction), resources: [selectorOf(text.slice(at + 1))] };
}

/** @throws {CliFailure} usage */
export function parseAction(text: string): ActionName {
  const name = text.trim();
  if (!isActionName(name)) throw usageFault(`there is no action \`${name}\`${didYouMean(name, ACTION_NAMES) || `; there are ${ACTION_NAMES.join(', ')}`}`);
  return name;
}

function selectorOf(place: string): Selector {
  if (place === 'all') return { type: 'all' };
  const { provider, bucket, key } = parseRemote(place);
  if (bucket === undefined) return { type: 'provider', provider };
  if (key === '') return { type: 'bucket', provider, bucket };
  return key.endsWith('/') ? { type: 'prefix', provider, bucket, prefix: key } : { type: 'object', provider, bucket, key };
}
