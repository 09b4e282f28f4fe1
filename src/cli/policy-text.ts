import type { WrittenSelector } from '../policy/resource.ts';
import type { RuleRef } from '../policy/rule.ts';

/** A selector for people: `main/photos/2025/…` for what is beneath, `main/photos/a.jpg` for one object. */
export function selectorText(selector: WrittenSelector): string {
  switch (selector.type) {
    case 'all':
      return 'everything';
    case 'provider':
      return `${selector.provider}/…`;
    case 'bucket':
      return `${selector.provider}/${selector.bucket}/…`;
    case 'prefix':
      return `${selector.provider}/${selector.bucket}/${selector.prefix}${selector.each === undefined ? '' : `{${selector.each}}/`}…`;
    case 'object':
      return `${selector.provider}/${selector.bucket}/${selector.key}`;
  }
}

export function rulesText(rules: readonly { readonly effect?: string; readonly actions: readonly string[]; readonly resources: readonly WrittenSelector[] }[]): string[] {
  return rules.map(({ effect = 'allow', actions, resources }) => `${effect} ${actions.join(', ')} on ${resources.map(selectorText).join(', ')}`);
}

/** A rule as people count, from 1, with the place where it stands. */
export function ruleText({ policy, rule }: RuleRef, line: number | undefined, file: string): string {
  return `${policy} rule ${rule + 1}${lineText(line, file)}`;
}

/** ` (svc.config.yaml:12)`; nothing where the line is unknown. */
export function lineText(line: number | undefined, file: string): string {
  return line === undefined ? '' : ` (${file}:${line})`;
}
