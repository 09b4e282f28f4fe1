import type { Rule } from '../policy/rule.ts';

export type IamImport = { readonly rules: readonly Rule[]; readonly faults: readonly { readonly path: string; readonly message: string }[]; readonly notes: readonly string[] };

export function importIam(_document: unknown, _provider: string | undefined, _providers: readonly string[]): IamImport {
  return { rules: [], faults: [], notes: [] };
}
