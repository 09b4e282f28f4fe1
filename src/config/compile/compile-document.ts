import { resolve } from 'node:path';
import { ATOMIC_ACTIONS, atomicActions, type AtomicAction } from '../../policy/model/action.ts';
import type { DotSegments } from '../../policy/model/name.ts';
import type { WrittenSelector } from '../../policy/model/resource.ts';
import { isEach } from '../../policy/model/each.ts';
import type { WrittenPolicy, WrittenRule } from '../../policy/model/rule.ts';
import { unmatchableRules } from '../../policy/answers/unmatchable.ts';
import type { Faults, Warn } from '../read/fault.ts';
import { importIam } from '../iam/iam.ts';
import { parseJson } from '../read/json-text.ts';
import type { KnownNames } from '../read/nearest.ts';
import type { PolicyDocument } from '../schema/schema.ts';
import { readRegularFile, unreadable } from '../read/regular-file.ts';

export type PolicyContext = {
  /** The configuration file, as messages name it. */
  readonly file: string;
  /** The base of relative paths. */
  readonly directory: string;
  /** The issuer of subjects that are written without one; empty without an identity provider. */
  readonly issuer: string;
  /** Names of the configured storage providers. */
  readonly providers: KnownNames;
  readonly dotsOf: (provider: string) => DotSegments;
  readonly faults: Faults;
  readonly warn: Warn;
};

/** Compiles one policy document to normalized rules. A document with a fault still gives a policy, so that its name is known. */
export function compileDocument(document: PolicyDocument, path: string, context: PolicyContext): WrittenPolicy {
  const { faults, providers, warn } = context;
  const { name, provider, rules } = document;
  if ((['rules', 'iam', 'iam_file'] as const).filter((member) => document[member] !== undefined).length !== 1) {
    faults.add(path, 'needs exactly one of `rules`, `iam` and `iam_file`');
    return { name, source: 'config', rules: [] };
  }
  if (provider !== undefined && rules !== undefined)
    faults.add(`${path}.provider`, 'goes with `iam` or `iam_file`; in `rules` each selector names its provider');
  else if (provider !== undefined && !providers.has(provider))
    faults.add(
      `${path}.provider`,
      `no provider is named \`${provider}\`${providers.didYouMean(provider)}`,
      'providers',
    );
  const policy: WrittenPolicy =
    rules === undefined
      ? { name, source: 'iam', rules: importRules(document, path, context) }
      : { name, source: 'config', rules: rules.map((rule, i) => compileRule(rule, `${path}.rules.${i}`, context)) };
  for (const text of policy.rules.flatMap(({ resources }) => resources.map(keyTextOf))) {
    if (!text.isWellFormed())
      faults.add(
        path,
        `\`${text.toWellFormed()}\` has half a character (a UTF-16 surrogate without its other half), which no key can have; write the whole character`,
      );
  }
  for (const { rule, message } of unmatchableRules(policy, context.dotsOf))
    warn(`${path}.rules.${rule.rule}`, `policy \`${name}\`, rule ${rule.rule + 1}: ${message}`);
  return policy;
}

function importRules(
  document: PolicyDocument,
  path: string,
  { directory, providers, faults, warn }: PolicyContext,
): readonly WrittenRule[] {
  const { iam, iam_file: file } = document;
  const at = `${path}.${iam === undefined ? 'iam_file' : 'iam'}`;
  const source = iam ?? readIamFile(resolve(directory, file ?? ''), at, faults);
  if (source === undefined) return [];
  const { rules, notes, faults: found } = importIam(source, document.provider, providers.list);
  for (const { path: member, statement, code, message } of found) {
    const where = statement === undefined ? code : `statement ${statement}, ${code}`;
    const inside = iam !== undefined && member !== '';
    faults.add(
      inside ? `${at}.${member}` : at,
      `${iam !== undefined || member === '' ? '' : `${member}: `}${message} (${where}; the document is refused)`,
    );
  }
  for (const note of notes) warn(at, `policy \`${document.name}\`, ${note}`);
  return rules;
}

const MAX_FILE_BYTES = 1024 * 1024;

function readIamFile(file: string, path: string, faults: Faults): unknown {
  try {
    return parseJson(readRegularFile(file, MAX_FILE_BYTES).toString());
  } catch (error) {
    faults.add(path, `the file \`${file}\` ${error instanceof SyntaxError ? error.message : unreadable(error)}`);
    return undefined;
  }
}

type RuleEntry = NonNullable<PolicyDocument['rules']>[number];

function compileRule({ effect, actions, resources }: RuleEntry, path: string, context: PolicyContext): WrittenRule {
  const held = new Set<AtomicAction>(actions.flatMap((action) => atomicActions(action)));
  resources.forEach((selector, i) => checkSelector(selector, `${path}.resources.${i}`, context));
  return { effect, actions: ATOMIC_ACTIONS.filter((action) => held.has(action)), resources };
}

/** The prefix or key that a selector names; empty when it names none. */
function keyTextOf(selector: WrittenSelector): string {
  if (selector.type === 'prefix') return selector.prefix;
  return selector.type === 'object' ? selector.key : '';
}

/** A `*` in a key is an ordinary character, because keys may contain one. In a name it can only be meant as a wildcard, so it is a fault. */
function checkSelector(selector: WrittenSelector, path: string, { providers, faults, warn }: PolicyContext): void {
  if (selector.type === 'all') return;
  const names = { provider: selector.provider, ...('bucket' in selector && { bucket: selector.bucket }) };
  for (const [member, name] of Object.entries(names)) {
    if (name.includes('*'))
      faults.add(
        `${path}.${member}`,
        `\`${name}\`: there are no wildcards; use a wider selector, such as \`type: all\` or \`type: provider\``,
      );
  }
  if (isEach(selector) && selector.prefix !== '' && !selector.prefix.endsWith('/'))
    faults.add(`${path}.prefix`, 'with `each` must be empty or end with a slash: the claim is the name of a folder');
  const key = keyTextOf(selector);
  if (key.includes('*'))
    warn(
      path,
      `the \`*\` in \`${key}\` is an ordinary character; there are no wildcards, and \`type: prefix\` covers what begins with its text`,
    );
  if (!names.provider.includes('*') && !providers.has(names.provider)) {
    warn(`${path}.provider`, `no provider is named \`${names.provider}\`${providers.didYouMean(names.provider)}`);
  }
}
