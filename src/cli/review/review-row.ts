import { createHash } from 'node:crypto';
import type { ConfiguredBuckets } from '../../config/compile/bucket-owners.ts';
import type { PolicyLines } from '../../config/compile/policy-lines.ts';
import { maskOfAll, type AtomicAction } from '../../policy/model/action.ts';
import { grantsOfScope } from '../../policy/answers/keys.ts';
import { SOMEBODY, SOME_GROUP } from '../../policy/answers/claims-to-tell.ts';
import type { Grants } from '../../policy/index/grants.ts';
import type { PolicySetDefinition } from '../../policy/index/policy-set.ts';
import { allowedBeneath } from '../../policy/listing/beneath.ts';
import { principalId, type Principal, type Assignment } from '../../policy/index/principal.ts';
import type { Region } from '../../policy/answers/region.ts';
import type { Selector } from '../../policy/model/resource.ts';
import type { ReviewedLine } from '../../policy/answers/review.ts';
import { isOf, namedKeyText, type NamedKey } from '../policy/named-keys.ts';
import { lineText, ruleText } from '../policy/policy-text.ts';
import { visible } from '../terminal/text.ts';

/** The columns of a review. `keys` is there when keys were asked for. The reviewer fills in `decision` and `narrow_to`. */
export const COLUMNS = [
  'id',
  'place',
  'owner',
  'who',
  'keys',
  'effect',
  'may',
  'by',
  'role',
  'policy',
  'rule',
  'policy_owner',
  'decision',
  'narrow_to',
] as const;

export type ReviewRow = Readonly<Record<(typeof COLUMNS)[number], string>>;

type ScopedKey = NamedKey & { readonly grants: Grants };

export type Told = {
  readonly lines: PolicyLines;
  readonly buckets: readonly ConfiguredBuckets[];
  readonly signIn: boolean;
  readonly definition: PolicySetDefinition;
};

/** Makes rows from lines, one after the other. */
export class ReviewRows {
  readonly #lines: PolicyLines;
  /** Why everybody may do everything, when that is the case. */
  readonly #open: string;
  readonly #ownerOf: ReadonlyMap<string, ConfiguredBuckets['ownerOf']>;
  /** Counts equal lines of one place and holder, for example when a policy repeats a rule. */
  #alike = new Map<string, number>();
  #about = '';
  readonly #keys: readonly ScopedKey[];
  readonly #definition: PolicySetDefinition;

  constructor({ lines, buckets, signIn, definition }: Told, keys: readonly NamedKey[] = []) {
    this.#definition = definition;
    this.#keys = keys.map((key) => ({ ...key, grants: grantsOfScope(key.scope) }));
    this.#open = signIn ? '`policy.enabled: false`' : '`auth.enabled: false`';
    this.#lines = lines;
    this.#ownerOf = new Map(buckets.map(({ provider, ownerOf }) => [provider, ownerOf]));
  }

  of(line: ReviewedLine): ReviewRow {
    const place = line.kind === 'admin' ? 'the service' : placeText(line.place);
    const isRule = line.kind === 'rule';
    const by = line.kind === 'unrestricted' ? this.#open : this.#assignmentsText(line.by);
    return plain({
      id: this.#idOf(line),
      place,
      owner: this.ownerOf(line),
      who: line.kind === 'unrestricted' ? 'everybody' : holderText(line.holder, line.isLocal),
      keys: this.#keysOf(line),
      effect: isRule ? line.effect : 'allow',
      may:
        line.kind === 'admin'
          ? 'administer sessions, API keys and policies of all'
          : mayText(line.regions, isRule ? line.effect : 'allow'),
      by,
      role: line.kind === 'unrestricted' ? '' : [...new Set(line.by.flatMap(({ role }) => role ?? []))].join(', '),
      policy: isRule ? line.rule.policy : '',
      rule: isRule ? ruleText(line.rule, this.#lines.ofRule(line.rule)).slice(line.rule.policy.length + 1) : '',
      policy_owner: isRule ? (this.#lines.ownerOf(line.rule.policy) ?? '') : '',
      decision: '',
      narrow_to: '',
    });
  }

  ownerOf(line: ReviewedLine): string {
    return (line.kind === 'admin' ? undefined : this.#ownerOf.get(line.place.provider)?.(line.place.bucket)) ?? '';
  }

  /** The keys of the holder whose scope reaches into the place with one of the actions. */
  #keysOf(line: ReviewedLine): string {
    if (line.kind === 'admin' || (line.kind === 'rule' && line.effect === 'deny')) return '';
    const { place, regions } = line;
    const isMeant = (key: NamedKey) => line.kind === 'unrestricted' || isOf(key, line.holder, this.#definition);
    const actions = maskOfAll(regions.flatMap((region) => region.actions));
    const { provider, bucket } = place;
    const scope = bucket === undefined ? { provider } : { provider, bucket };
    return this.#keys
      .filter((key) => isMeant(key) && (allowedBeneath(key.grants, scope) & actions) !== 0)
      .map(namedKeyText)
      .join('; ');
  }

  #assignmentsText(by: readonly Omit<Assignment, 'policy'>[]): string {
    const places = new Map(
      by.map(({ from, place }) => [
        `${from} ${place}`,
        `${from} ${place + 1}${lineText(this.#lines.ofAssignment({ from, place }))}`,
      ]),
    );
    return [...places.values()].join('; ');
  }

  /**
   * A hash of everything that the line says, except where it is written. It stays when lines move in the file, and changes when the holder's access, the rule,
   * or the kind of way to it changes.
   */
  #idOf(line: ReviewedLine): string {
    const assignments = line.kind === 'unrestricted' ? [] : line.by.map(({ from, role }) => [from, role ?? null]);
    const place = line.kind === 'admin' ? null : [line.place.provider, line.place.bucket ?? null];
    const holder = line.kind === 'unrestricted' ? null : [principalId(line.holder), line.isLocal];
    const regions =
      line.kind === 'admin' ? [] : line.regions.map(({ actions, selector, except }) => [actions, selector, except]);
    const rule = line.kind === 'rule' ? [line.rule.policy, line.written] : [line.kind];
    const about = JSON.stringify([place, holder]);
    if (about !== this.#about) this.#alike = new Map();
    this.#about = about;
    const id = createHash('sha256')
      .update(JSON.stringify([place, holder, assignments, rule, regions]))
      .digest('hex')
      .slice(0, 16);
    const count = (this.#alike.get(id) ?? 0) + 1;
    this.#alike.set(id, count);
    return count === 1 ? id : `${id}-${count}`;
  }
}

export function placeText({
  provider,
  bucket,
}: {
  readonly provider: string;
  readonly bucket: string | undefined;
}): string {
  return bucket === undefined ? `${provider}: all other buckets` : `${provider}/${bucket}`;
}

function holderText(holder: Principal, isLocal: boolean): string {
  if ('group' in holder) return `group ${holder.group}`;
  return `${holder.subject}${holder.issuer === '' ? '' : ` of ${holder.issuer}`}${isLocal ? ' (local user)' : ''}`;
}

/** What people call an action. */
export const ACTION_WORDS: Readonly<Record<AtomicAction, string>> = {
  'providers:list': 'see the provider',
  'buckets:list': 'see the bucket',
  'buckets:create': 'create the bucket',
  'buckets:delete': 'delete the bucket',
  'objects:list': 'list',
  'objects:get': 'read',
  'objects:write': 'write',
  'objects:delete': 'delete',
  'objects:presign': 'share',
  'objects:versions': 'see versions of',
  'objects:restore': 'restore',
  'objects:purge': 'permanently delete',
};

function mayText(regions: readonly Region[], effect: 'allow' | 'deny'): string {
  if (regions.length === 0) return effect === 'allow' ? 'nothing: a rule denies all of it' : 'nothing';
  const text = regions
    .map(({ actions, selector, except }) => `${doText(selector, actions)}${exceptText(except)}`)
    .join('; ');
  return effect === 'allow' ? text : `must not: ${text}`;
}

function doText(selector: Selector, actions: readonly AtomicAction[]): string {
  const words = actions.map((action) => ACTION_WORDS[action]).join(', ');
  const hasObjects = actions.some((action) => action.startsWith('objects:'));
  if (selector.type === 'bucket') return `${words}${hasObjects ? ' everything in it' : ''}`;
  if (selector.type !== 'provider') return `${words} ${keyText(selector)}`;
  const hasBuckets = actions.some((action) => action.startsWith('buckets:'));
  return `${words.replaceAll('the bucket', 'all other buckets')}${hasObjects ? ` everything in ${hasBuckets ? 'them' : 'all other buckets'}` : ''}`;
}

/** How many excepted places a line names. */
const SHOWN_EXCEPTIONS = 5;

function exceptText(except: readonly Selector[]): string {
  if (except.length === 0) return '';
  const left = except.length - SHOWN_EXCEPTIONS;
  return ` except ${except.slice(0, SHOWN_EXCEPTIONS).map(keyText).join(', ')}${left > 0 ? ` and ${left} more places` : ''}`;
}

function keyText(selector: Selector): string {
  if (selector.type === 'prefix') return `${selector.prefix}…`;
  return selector.type === 'object' ? selector.key : 'everything';
}

/** Puts each cell on one line and makes control characters visible. */
function plain(row: ReviewRow): ReviewRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [
      name,
      visible(cell.replaceAll(SOMEBODY, '{subject}').replaceAll(SOME_GROUP, '{group}')),
    ]),
  ) as ReviewRow;
}
