import type { AtomicAction } from '../../src/policy/model/action.ts';
import { objectResource, type ObjectResource, type Selector } from '../../src/policy/model/resource.ts';
import type { Policy, Rule } from '../../src/policy/model/rule.ts';
import { covers } from './covers.ts';

export type Request = { readonly action: AtomicAction; readonly resource: ObjectResource };

/** One caller's rules, and requests of which half are allowed, a quarter explicitly denied, and a quarter matched by nothing. */
export type Workload = {
  readonly name: string;
  readonly size: number;
  readonly policy: Policy;
  readonly requests: readonly Request[];
};

/** `spread`: over providers and buckets, about ten rules in each. `hot`: all in one bucket. */
export type Layout = 'spread' | 'hot';

const REQUESTS = 4096;
const ACTIONS = ['objects:list', 'objects:get', 'objects:write', 'objects:delete', 'objects:presign'] as const;
const HOT = { provider: 'main', bucket: 'everything' };

export function makeWorkload(layout: Layout, size: number): Workload {
  const random = mulberry32(size);
  const rules = Array.from({ length: size }, (_, i) => makeRule(layout, size, i, random));
  const policy: Policy = { name: 'bench', source: 'config', rules };
  return { name: `${layout} ${size.toLocaleString('en')}`, size, policy, requests: makeRequests(rules, random) };
}

/** Of ten rules eight allow; of fifty one names a provider, four a bucket, fifteen an exact object, and the others a prefix. */
function makeRule(layout: Layout, size: number, i: number, random: Random): Rule {
  const first = Math.floor(random() * ACTIONS.length);
  const actions = ACTIONS.filter((_, at) => at === first || random() < 0.2);
  return { effect: i % 5 === 4 ? 'deny' : 'allow', actions, resources: [makeSelector(layout, size, i, random)] };
}

function makeSelector(layout: Layout, size: number, i: number, random: Random): Selector {
  const place = layout === 'hot' ? HOT : spreadPlace(size, random);
  const kind = random() * 50;
  if (layout === 'spread' && kind < 1) return { type: 'provider', provider: `archive-${i}` };
  if (layout === 'spread' && kind < 5) return { type: 'bucket', provider: place.provider, bucket: `whole-${i}` };
  const folder = `team-${i % 97}/project-${Math.floor(i / 97)}/`;
  if (kind < 20) return { type: 'object', ...place, key: `${folder}${fileName(random)}` };
  return { type: 'prefix', ...place, prefix: random() < 0.3 ? `${folder}raw/` : folder };
}

function spreadPlace(size: number, random: Random): { provider: string; bucket: string } {
  const number = Math.floor(random() * Math.max(2, size / 10));
  return { provider: `provider-${number % 8}`, bucket: `bucket-${number}` };
}

function makeRequests(rules: readonly Rule[], random: Random): Request[] {
  const wanted = { allowed: REQUESTS / 2, denied: REQUESTS / 4, unmatched: REQUESTS / 4 };
  const requests: Request[] = [];
  while (requests.length < REQUESTS) {
    const rule = rules[Math.floor(random() * rules.length)]!;
    const action = random() < 0.7 ? rule.actions[0]! : ACTIONS[Math.floor(random() * ACTIONS.length)]!;
    const request = { action, resource: resourceIn(rule.resources[0]!, random) };
    const outcome = outcomeOf(rules, request);
    if (wanted[outcome] === 0) continue;
    wanted[outcome]--;
    requests.push(request);
  }
  return shuffle(requests, random).map(({ action, resource: { provider, bucket, key } }) => ({
    action,
    resource: objectResource(provider, bucket, parsed(key)),
  }));
}

function outcomeOf(rules: readonly Rule[], { action, resource }: Request): 'allowed' | 'denied' | 'unmatched' {
  const matching = rules.filter(
    (rule) => rule.actions.includes(action) && rule.resources.some((selector) => covers(selector, resource)),
  );
  if (matching.length === 0) return 'unmatched';
  return matching.some(({ effect }) => effect === 'deny') ? 'denied' : 'allowed';
}

/** A key that the selector covers, or, now and then, one right beside. */
function resourceIn(selector: Selector, random: Random): ObjectResource {
  const provider = 'provider' in selector ? selector.provider : 'any';
  const bucket = 'bucket' in selector ? selector.bucket : `bucket-${Math.floor(random() * 100)}`;
  const stray = random() < 0.15;
  if (selector.type === 'object') return objectResource(provider, bucket, stray ? `${selector.key}~` : selector.key);
  const prefix = selector.type === 'prefix' ? selector.prefix : 'inbox/';
  return objectResource(provider, bucket, `${stray ? prefix.replace(/\d/, 'x') : prefix}${fileName(random)}`);
}

/** A string in one piece, as it comes out of a request. Made in the order of asking: a real request is fresh in the cache. */
const parsed = (text: string) => JSON.parse(JSON.stringify(text)) as string;

const fileName = (random: Random) => `2024-${String(Math.floor(random() * 1000)).padStart(4, '0')}.jpg`;

type Random = () => number;

/** Small, seeded and good enough: every run measures the same rules and requests. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffle<Item>(items: Item[], random: Random): Item[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
