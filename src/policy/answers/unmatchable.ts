import { ATOMIC_ACTIONS, resourceKindOf, type AtomicAction, type ResourceKind } from '../model/action.ts';
import { bucketFault, isBucketName, keyFault, prefixFault, type DotSegments } from '../model/name.ts';
import type { WrittenSelector } from '../model/resource.ts';
import type { RuleRef, WrittenPolicy, WrittenRule } from '../model/rule.ts';

/** A part of a rule that can never match. `message` names it for the person who wrote the rule. */
export type UnmatchableRule = { readonly rule: RuleRef; readonly message: string };

/** The kinds of resource that a selector can cover. */
const COVERED_BY: Readonly<Record<WrittenSelector['type'], readonly ResourceKind[]>> = {
  all: ['provider', 'bucket', 'object'],
  provider: ['provider', 'bucket', 'object'],
  bucket: ['bucket', 'object'],
  prefix: ['object'],
  object: ['object'],
};

/**
 * Finds the parts of a policy that can never match: actions that none of their rule's resources can cover, resources on which none of their rule's actions is
 * asked, and names that no request can have. A deny among them protects nothing.
 *
 * @param dotsOf - how the provider of this name treats dot segments.
 */
export function unmatchableRules(
  policy: WrittenPolicy,
  dotsOf: (provider: string) => DotSegments = () => 'refuse',
): UnmatchableRule[] {
  return policy.rules.flatMap((rule, number) =>
    [...idleActions(rule), ...idleResources(rule), ...impossibleNames(rule, dotsOf)].map((message) => ({
      rule: { policy: policy.name, rule: number },
      message,
    })),
  );
}

const canMatch = (action: AtomicAction, selector: WrittenSelector) =>
  COVERED_BY[selector.type].includes(resourceKindOf(action));

function idleActions({ actions, resources }: WrittenRule): string[] {
  return ATOMIC_ACTIONS.filter(
    (action) => actions.includes(action) && !resources.some((selector) => canMatch(action, selector)),
  ).map((action) => `\`${action}\` applies to a ${resourceKindOf(action)}, but no resource of the rule covers one`);
}

function idleResources({ actions, resources }: WrittenRule): string[] {
  return resources
    .filter((selector) => !actions.some((action) => canMatch(action, selector)))
    .map((selector) => `the ${describe(selector)} covers no resource to which the rule's actions apply`);
}

function impossibleNames({ resources }: WrittenRule, dotsOf: (provider: string) => DotSegments): string[] {
  return resources.flatMap((selector) => {
    if ('bucket' in selector && !isBucketName(selector.bucket))
      return faultText(bucketFault(selector.bucket), `no request can ask for the bucket \`${selector.bucket}\``);
    if (selector.type === 'object')
      return faultText(
        keyFault(selector.key, dotsOf(selector.provider)),
        `no request can ask for the key \`${shorten(selector.key)}\``,
      );
    if (selector.type === 'prefix')
      return faultText(
        selectedFault(selector.prefix, dotsOf(selector.provider)),
        `no key can start with \`${shorten(selector.prefix)}\``,
      );
    return [];
  });
}

/** The last segment of a prefix may be incomplete: `a/.` is the start of `a/.hidden`. */
function selectedFault(prefix: string, dots: DotSegments): string | undefined {
  return prefixFault(prefix, 'keep') ?? prefixFault(prefix.slice(0, prefix.lastIndexOf('/') + 1), dots);
}

function faultText(fault: string | undefined, what: string): string[] {
  return fault === undefined ? [] : [`${what}: ${fault}`];
}

function describe(selector: WrittenSelector): string {
  switch (selector.type) {
    case 'all':
      return 'selector `all`';
    case 'provider':
      return `provider \`${selector.provider}\``;
    case 'bucket':
      return `bucket \`${selector.bucket}\``;
    case 'prefix':
      return `prefix \`${shorten(selector.prefix)}\``;
    case 'object':
      return `object \`${shorten(selector.key)}\``;
  }
}

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text.toWellFormed());
