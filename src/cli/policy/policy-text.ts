import type { WrittenSelector } from '../../policy/model/resource.ts';
import type { RuleRef } from '../../policy/model/rule.ts';

/** Formats a selector for people: `main/photos/2025/…` for everything beneath, `main/photos/a.jpg` for one object. */
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

export function rulesText(
  rules: readonly {
    readonly effect?: string;
    readonly actions: readonly string[];
    readonly resources: readonly WrittenSelector[];
  }[],
): string[] {
  return rules.map(
    ({ effect = 'allow', actions, resources }) =>
      `${effect} ${actions.join(', ')} on ${resources.map(selectorText).join(', ')}`,
  );
}

/** Undefined for built-in policies. */
type At = { readonly line: number | undefined; readonly file: string | undefined } | undefined;

/** Formats a rule with its number from 1 and its place. */
export function ruleText({ policy, rule }: RuleRef, at: At): string {
  return `${policy} rule ${rule + 1}${lineText(at)}`;
}

/** ` (svc.config.yaml:12)`; empty when the line is unknown. */
export function lineText(at: At): string {
  return at?.line === undefined ? '' : ` (${at.file}:${at.line})`;
}
