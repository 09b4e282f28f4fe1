import { ACTIONS_ON, maskOfAll, type ActionMask } from './action.ts';
import { UNRESTRICTED } from './builtin.ts';
import type { Clause } from './clause.ts';
import type { Decision } from './decision.ts';
import { isEach } from './each.ts';
import { copyOf, countOf, growTo, KeyNode, settle } from './key-tree.ts';
import { TreePacker, type PackedTrees } from './packed-trees.ts';
import type { Selector } from './resource.ts';
import type { Effect, Policy } from './rule.ts';
import { allowedBy, judge, NO_VERDICT_YET, type Verdicts } from './verdicts.ts';

/**
 * Policies, compiled into an index by provider, bucket and key. Only `decide`, `allowedBeneath`, `nextAllowed`, `keyFilter` and
 * `explain` read its members; everybody else calls these. It never changes.
 */
export type Grants = LevelGrants & { readonly providers: ReadonlyMap<string, ProviderGrants> };

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
  /** Holds `keys`, and those of other buckets. */
  readonly trees: PackedTrees;
  /** The root of `keys` in the packed trees. */
  readonly root: number;
};

/** Compiles policies. The order of policies and rules decides only which rule a decision names. */
export function compileGrants(policies: readonly Policy[]): Grants {
  const draft = new Draft();
  draft.add(policies);
  return draft.settle();
}

/**
 * What further policies make of grants, at the cost of the buckets that they name. All else is shared.
 *
 * @param policies - with selectors of prefixes only.
 */
export function extendGrants(base: Grants, policies: readonly Policy[]): { readonly grants: Grants; /** How many places of keys were made anew. */ readonly nodes: number } {
  const draft = new Draft(base);
  draft.add(policies);
  return { grants: draft.settleOver(base), nodes: draft.nodes };
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
  readonly #base: Grants | undefined;

  /** @param base - what the buckets that are named begin with. */
  constructor(base?: Grants) {
    this.#base = base;
  }

  add(policies: readonly Policy[]): void {
    for (const policy of policies) {
      for (const [number, rule] of policy.rules.entries()) {
        const actions = maskOfAll(rule.actions);
        const decision = decisionOf(rule.effect, policy.name, number);
        for (const selector of rule.resources) this.#clausesOn(selector).push({ effect: rule.effect, actions, selector, decision });
      }
    }
  }

  #clausesOn(selector: Selector): Clause[] {
    // Its prefix alone would be the folders of everybody. Types say that it cannot be, as long as nobody casts them.
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
      bucket = base === undefined ? { clauses: [], keys: new KeyNode('') } : { clauses: [...base.clauses], keys: copyOf(base.keys) };
      buckets.set(name, bucket);
    }
    return bucket;
  }

  get nodes(): number {
    return [...this.#providers.values()].reduce((sum, { buckets }) => [...buckets.values()].reduce((inside, { keys }) => inside + countOf(keys), sum), 0);
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
      providers.set(name, settleProvider({ clauses: around?.clauses ?? [], buckets }, base.verdicts, packer, around?.buckets));
    }
    packer.finish();
    return { ...base, providers };
  }
}

/** @param others - buckets that stay as they are, but for those of the draft. */
function settleProvider(draft: { readonly clauses: readonly Clause[]; readonly buckets: ProviderDraft['buckets'] }, around: Verdicts, packer: TreePacker, others?: ReadonlyMap<string, BucketGrants>): ProviderGrants {
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
  settle(keys, verdicts);
  // What a decision reads stands first, in one line of the processor's cache.
  return { trees: packer.trees, root: packer.add(keys), verdicts, allowed: allowedBy(verdicts), clauses, keys };
}

/** Grants that allow nothing. */
export const NOTHING: Grants = compileGrants([]);

/** Grants that allow every action on everything, for `policy.enabled: false` and `auth.enabled: false`. */
export const EVERYTHING: Grants = compileGrants([UNRESTRICTED]);
