import { readFile } from 'node:fs/promises';
import { atomicActions } from '../policy/action.ts';
import { decide } from '../policy/decide.ts';
import { CliFailure, usageFault } from './cli-failure.ts';
import type { LoadedPolicies } from './configured-policies.ts';
import { resourceFor } from './asked-resource.ts';
import { parseAction } from './scope-option.ts';

type PolicyCase = { readonly subject: string; readonly issuer: string | undefined; readonly groups: readonly string[]; readonly action: string; readonly path: string; readonly expect: 'allow' | 'deny'; readonly because: string | undefined };

/** `at` counts from 1. */
export type CaseFailure = { readonly at: number; readonly message: string };

/** Asks each case of a file. @throws {CliFailure} usage: the file is not a list of cases. */
export async function runPolicyCases(file: string, { policies, issuer }: LoadedPolicies): Promise<{ readonly passed: number; readonly failed: readonly CaseFailure[] }> {
  const cases = await readCases(file);
  const failed: CaseFailure[] = [];
  for (const [i, { subject, groups, action, path, expect, because, issuer: own }] of cases.entries()) {
    try {
      const { grants } = policies.grantsFor({ issuer: own ?? issuer, subject, groups });
      const decided = atomicActions(parseAction(action)).every((one) => decide(grants, one, resourceFor(one, path)).allowed) ? 'allow' : 'deny';
      if (decided !== expect) failed.push({ at: i + 1, message: `\`${action}\` on \`${path}\` as \`${subject}\` is ${decided}, not ${expect}${because === undefined ? '' : ` (${because})`}` });
    } catch (error) {
      if (!(error instanceof CliFailure)) throw error;
      failed.push({ at: i + 1, message: error.message });
    }
  }
  return { passed: cases.length - failed.length, failed };
}

async function readCases(file: string): Promise<PolicyCase[]> {
  const { readYaml } = await import('../config/yaml.ts');
  const yaml = readYaml(await readFile(file, 'utf8'));
  if (yaml.fault !== undefined) throw usageFault(`${file}${yaml.fault.line === undefined ? '' : `:${yaml.fault.line}`}: ${yaml.fault.message}`);
  if (!Array.isArray(yaml.value)) throw usageFault(`${file}: is not a list of cases; see \`svc policy test --help\``);
  return (yaml.value as unknown[]).map((value, i) => caseOf(value, `${file}: case ${i + 1}`));
}

const MEMBERS = ['subject', 'issuer', 'groups', 'action', 'path', 'expect', 'because'];

function caseOf(value: unknown, place: string): PolicyCase {
  if (typeof value !== 'object' || value === null) throw usageFault(`${place}: has to be a mapping with ${MEMBERS.join(', ')}`);
  const { subject, issuer, groups = [], action, path, expect, because } = value as Record<string, unknown>;
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw usageFault(`${place}: there is no member \`${unknown}\`; there are ${MEMBERS.join(', ')}`);
  if (typeof subject !== 'string' || typeof action !== 'string' || typeof path !== 'string') throw usageFault(`${place}: needs \`subject\`, \`action\` and \`path\` as texts`);
  if (expect !== 'allow' && expect !== 'deny') throw usageFault(`${place}: \`expect\` has to be \`allow\` or \`deny\``);
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string')) throw usageFault(`${place}: \`groups\` has to be a list of texts`);
  return { subject, groups, action, path, expect, issuer: typeof issuer === 'string' ? issuer : undefined, because: typeof because === 'string' ? because : undefined };
}
