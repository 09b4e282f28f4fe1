import { ACTIONS_ON, maskOfAll, type ActionMask } from '../model/action.ts';
import { UNRESTRICTED } from '../model/builtin.ts';
import type { Clause } from '../model/clause.ts';
import type { Decision } from '../model/decision.ts';
import { isEach } from '../model/each.ts';
import { copyOf, nodeCount, growTo, KeyNode, computeVerdicts } from './key-tree.ts';
import { TreePacker, type PackedTrees } from './packed-trees.ts';
import type { Selector } from '../model/resource.ts';
import type { Effect, Policy } from '../model/rule.ts';
import { allowedBy, judge, NO_VERDICT_YET, type Verdicts } from '../model/verdicts.ts';

/**
 * Policies, compiled into an index by provider, bucket and key. It never changes. Only the functions of `src/policy` read its members; other folders call
 * those.
 */
export type Grants = LevelGrants & { readonly providers: ReadonlyMap<string, ProviderGrants> };

/** The rules and verdicts of one level of the index. They also apply beneath it, unless narrower rules change them. */
type LevelGrants = {
  readonly clauses: readonly Clause[];
  readonly verdicts: Verdicts;
  /** The actions that `verdicts` allows. */
  readonly allowed: ActionMask;
};

type ProviderGrants = LevelGrants & {
  readonly buckets: ReadonlyMap<string, BucketGrants>;
  /** The actions that are allowed on the provider, or on at least one bucket or key in it. */
  readonly somewhere: ActionMask;
};

type BucketGrants = LevelGrants & {
  readonly keys: KeyNode;
  /** Contains `keys` and the key trees of other buckets. */
  readonly trees: PackedTrees;
  /** The root of `keys` in the packed trees. */
  readonly root: number;
};

/** Compiles policies. The order of policies and rules only affects which rule a decision names. */
export function compileGrants(policies: readonly Policy[]): Grants {
  const draft = new Draft();
  draft.add(policies);
  return draft.settle();
}

/**
 * Adds policies to grants. Only the buckets that the policies name are rebuilt; everything else is shared with `base`.
 *
 * @param policies - contain selectors of type `prefix` only.
 */
export function extendGrants(
  base: Grants,
  policies: readonly Policy[],
): { readonly grants: Grants; /** How many nodes of key trees were built. */ readonly nodes: number } {
  const draft = new Draft(base);
  draft.add(policies);
  return { grants: draft.settleOver(base), nodes: draft.nodes };
}

function decisionOf(effect: Effect, policy: string, rule: number): Decision {
  const allowed = effect === 'allow';
  return Object.freeze({
    allowed,
    reason: allowed ? 'allowed' : 'explicit_deny',
    rule: Object.freeze({ policy, rule }),
  });
}

type BucketDraft = { readonly clauses: Clause[]; readonly keys: KeyNode };
type ProviderDraft = { readonly clauses: Clause[]; readonly buckets: Map<string, BucketDraft> };

/** Puts each clause at the level that its selector names, then computes the verdicts from the widest level to the narrowest. */
class Draft {
  readonly #clauses: Clause[] = [];
  readonly #providers = new Map<string, ProviderDraft>();
  readonly #base: Grants | undefined;

  /** @param base - the grants from which named buckets are copied. */
  constructor(base?: Grants) {
    this.#base = base;
  }

  add(policies: readonly Policy[]): void {
    for (const policy of policies) {
      for (const [number, rule] of policy.rules.entries()) {
        const actions = maskOfAll(rule.actions);
        const decision = decisionOf(rule.effect, policy.name, number);
        for (const selector of rule.resources)
          this.#clausesOn(selector).push({ effect: rule.effect, actions, selector, decision });
      }
    }
  }

  #clausesOn(selector: Selector): Clause[] {
    // Its prefix alone would cover the folders of everybody. The types exclude this, unless somebody casts them.
    if (isEach(selector)) throw new Error('a selector with `each` has to be resolved for a person');
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
      const base = this.#base?.providers.get(providerName)?.buckets.get(name);
      bucket =
        base === undefined
          ? { clauses: [], keys: new KeyNode('') }
          : { clauses: [...base.clauses], keys: copyOf(base.keys) };
      buckets.set(name, bucket);
    }
    return bucket;
  }

  get nodes(): number {
    return [...this.#providers.values()].reduce(
      (sum, { buckets }) => [...buckets.values()].reduce((inside, { keys }) => inside + nodeCount(keys), sum),
      0,
    );
  }

  settle(): Grants {
    const verdicts = judge(NO_VERDICT_YET, this.#clauses);
    const packer = new TreePacker();
    const providers = new Map<string, ProviderGrants>();
    for (const [name, draft] of this.#providers) providers.set(name, settleProvider(draft, verdicts, packer));
    packer.finish();
    return { clauses: this.#clauses, verdicts, allowed: allowedBy(verdicts), providers };
  }

  settleOver(base: Grants): Grants {
    const packer = new TreePacker();
    const providers = new Map(base.providers);
    for (const [name, { buckets }] of this.#providers) {
      const around = base.providers.get(name);
      providers.set(
        name,
        settleProvider({ clauses: around?.clauses ?? [], buckets }, base.verdicts, packer, around?.buckets),
      );
    }
    packer.finish();
    return { ...base, providers };
  }
}

/** @param others - existing buckets, which are kept unless the draft has a bucket of the same name. */
function settleProvider(
  draft: { readonly clauses: readonly Clause[]; readonly buckets: ProviderDraft['buckets'] },
  around: Verdicts,
  packer: TreePacker,
  others?: ReadonlyMap<string, BucketGrants>,
): ProviderGrants {
  const verdicts = judge(around, draft.clauses);
  const buckets = new Map<string, BucketGrants>(others);
  const allowed = allowedBy(verdicts);
  for (const [name, bucketDraft] of draft.buckets) buckets.set(name, settleBucket(bucketDraft, verdicts, packer));
  let somewhere = allowed;
  for (const bucket of buckets.values()) somewhere |= (bucket.allowed & ACTIONS_ON.bucket) | bucket.keys.somewhere;
  return { clauses: draft.clauses, verdicts, allowed, buckets, somewhere };
}

function settleBucket({ clauses, keys }: BucketDraft, around: Verdicts, packer: TreePacker): BucketGrants {
  const verdicts = judge(around, clauses);
  computeVerdicts(keys, verdicts);
  // The members that a decision reads come first, so that they share one line of the processor's cache.
  return { trees: packer.trees, root: packer.add(keys), verdicts, allowed: allowedBy(verdicts), clauses, keys };
}

/** Grants that allow nothing. */
export const NOTHING: Grants = compileGrants([]);

/** Grants that allow every action on everything, for `policy.enabled: false` and `auth.enabled: false`. */
export const EVERYTHING: Grants = compileGrants([UNRESTRICTED]);
