import { ACTIONS_ON, maskOfAll, type ActionMask } from './action.ts';
import { UNRESTRICTED } from './builtin.ts';
import type { Clause } from './clause.ts';
import type { Decision } from './decision.ts';
import { growTo, KeyNode, settle } from './key-tree.ts';
import { TreePacker, type PackedTrees } from './packed-trees.ts';
import type { Selector } from './resource.ts';
import type { Effect, Policy } from './rule.ts';
import { allowedBy, judge, NO_VERDICT_YET, type Verdicts } from './verdicts.ts';

/**
 * Policies, compiled into an index by provider, bucket and key. Only `decide`, `allowedBeneath`, `nextAllowed`, `keyFilter` and
 * `explain` read its members; everybody else calls these. It never changes.
 */
export type Grants = LevelGrants & { readonly providers: ReadonlyMap<string, ProviderGrants>; readonly trees: PackedTrees };

/** The rules and verdicts of one level of the index. They hold beneath it too, unless narrower rules say more. */
type LevelGrants = {
  readonly clauses: readonly Clause[];
  readonly verdicts: Verdicts;
  /** What `verdicts` allows. */
  readonly allowed: ActionMask;
};

type ProviderGrants = LevelGrants & {
  readonly buckets: ReadonlyMap<string, BucketGrants>;
  /** What is allowed on the provider, or on some bucket or key in it. */
  readonly somewhere: ActionMask;
};

type BucketGrants = LevelGrants & {
  readonly keys: KeyNode;
  /** The root of `keys` in the packed trees. */
  readonly root: number;
};

/** Compiles policies. The order of policies and rules decides only which rule a decision names. */
export function compileGrants(policies: readonly Policy[]): Grants {
  const draft = new Draft();
  for (const policy of policies) {
    for (const [number, rule] of policy.rules.entries()) {
      const actions = maskOfAll(rule.actions);
      const decision = decisionOf(rule.effect, policy.name, number);
      for (const selector of rule.resources) draft.clausesOn(selector).push({ effect: rule.effect, actions, selector, decision });
    }
  }
  return draft.settle();
}

function decisionOf(effect: Effect, policy: string, rule: number): Decision {
  const allowed = effect === 'allow';
  return Object.freeze({ allowed, reason: allowed ? 'allowed' : 'explicit_deny', rule: Object.freeze({ policy, rule }) });
}

type BucketDraft = { readonly clauses: Clause[]; readonly keys: KeyNode };
type ProviderDraft = { readonly clauses: Clause[]; readonly buckets: Map<string, BucketDraft> };

/** Puts each clause at the level that it names, and then settles the verdicts from the widest level to the narrowest. */
class Draft {
  readonly #clauses: Clause[] = [];
  readonly #providers = new Map<string, ProviderDraft>();

  clausesOn(selector: Selector): Clause[] {
    switch (selector.type) {
      case 'all':
        return this.#clauses;
      case 'provider':
        return this.#provider(selector.provider).clauses;
      case 'bucket':
        return this.#bucket(selector.provider, selector.bucket).clauses;
      case 'prefix':
        return growTo(this.#bucket(selector.provider, selector.bucket).keys, selector.prefix).prefixClauses;
      case 'object':
        return growTo(this.#bucket(selector.provider, selector.bucket).keys, selector.key).keyClauses;
    }
  }

  #provider(name: string): ProviderDraft {
    let provider = this.#providers.get(name);
    if (provider === undefined) {
      provider = { clauses: [], buckets: new Map() };
      this.#providers.set(name, provider);
    }
    return provider;
  }

  #bucket(providerName: string, name: string): BucketDraft {
    const { buckets } = this.#provider(providerName);
    let bucket = buckets.get(name);
    if (bucket === undefined) {
      bucket = { clauses: [], keys: new KeyNode('') };
      buckets.set(name, bucket);
    }
    return bucket;
  }

  settle(): Grants {
    const verdicts = judge(NO_VERDICT_YET, this.#clauses);
    const packer = new TreePacker();
    const providers = new Map<string, ProviderGrants>();
    for (const [name, draft] of this.#providers) providers.set(name, settleProvider(draft, verdicts, packer));
    return { clauses: this.#clauses, verdicts, allowed: allowedBy(verdicts), providers, trees: packer.finish() };
  }
}

function settleProvider(draft: ProviderDraft, around: Verdicts, packer: TreePacker): ProviderGrants {
  const verdicts = judge(around, draft.clauses);
  const buckets = new Map<string, BucketGrants>();
  const allowed = allowedBy(verdicts);
  let somewhere = allowed;
  for (const [name, bucketDraft] of draft.buckets) {
    const bucket = settleBucket(bucketDraft, verdicts, packer);
    buckets.set(name, bucket);
    somewhere |= (bucket.allowed & ACTIONS_ON.bucket) | bucket.keys.somewhere;
  }
  return { clauses: draft.clauses, verdicts, allowed, buckets, somewhere };
}

function settleBucket({ clauses, keys }: BucketDraft, around: Verdicts, packer: TreePacker): BucketGrants {
  const verdicts = judge(around, clauses);
  settle(keys, verdicts);
  return { clauses, verdicts, allowed: allowedBy(verdicts), keys, root: packer.add(keys) };
}

/** Grants that allow nothing. */
export const NOTHING: Grants = compileGrants([]);

/** Grants that allow every action on everything, for `policy.enabled: false` and `auth.enabled: false`. */
export const EVERYTHING: Grants = compileGrants([UNRESTRICTED]);
