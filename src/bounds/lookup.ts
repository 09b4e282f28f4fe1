import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

type Options = Parameters<LookupFunction>[1];
type Answer = Parameters<Parameters<LookupFunction>[2]>;

/** Names that are looked up one after another: one, or all beneath an endpoint. Only names in the configuration are, so there are few. */
type Zone = {
  /** How often in a row no server answered, up to {@link MANY}. */
  failures: number;
  /** The last lookup that has been asked for. */
  last: Promise<unknown>;
};

/** `until` is when the last connection that waits for the answer is given up. */
type Lookup = { readonly host: string; readonly options: Options; until: number };

const underWay = new Map<string, { readonly lookup: Lookup; readonly answer: Promise<Answer> }>();
const zones = new Map<string, Zone>();
/** One that failed so often waits no longer than those that failed more often. */
const MANY = 2;
/** Lookups in zones that failed, which begin one after another. */
const waiting: { readonly zone: Zone; readonly begin: () => Promise<void> }[] = [];
let isAsking = false;

/**
 * Looks up a host, once for all who want the same one meanwhile. Node looks up two names at a time, and one that no server answers for may take half a minute.
 * A second one of these would keep all others waiting, so names that no server answered for are looked up one after another.
 */
export const lookup: LookupFunction = (host, options, done) => lookUp(host, Infinity, host, options, done);

/**
 * Like {@link lookup}. Names beneath this host, which people choose, count as one that is looked up again and again.
 *
 * @param waitMs - how long a connection waits for its lookup.
 */
export function lookupBeneath(endpoint: string, waitMs: number): LookupFunction {
  return (host, options, done) => lookUp(host.endsWith(`.${endpoint}`) ? endpoint : host, waitMs, host, options, done);
}

function lookUp(name: string, waitMs: number, ...[host, options, done]: Parameters<LookupFunction>): void {
  const question = `${host} ${JSON.stringify(options)}`;
  const until = performance.now() + waitMs;
  let found = underWay.get(question);
  if (found === undefined) {
    const zone = zones.get(name) ?? { failures: 0, last: Promise.resolve() };
    zones.set(name, zone);
    const lookup = { host, options, until };
    const answer = zone.last.then(() => (zone.failures > 0 ? askInTurn : ask)(zone, lookup));
    zone.last = answer;
    found = { lookup, answer };
    underWay.set(question, found);
    void answer.then(() => underWay.delete(question));
  }
  found.lookup.until = until;
  void found.answer.then((result) => done(...result));
}

/** The lookups of the name of a host that are under way. */
export function lookupsOf(host: string): readonly Promise<unknown>[] {
  return [...underWay.values()].flatMap(({ lookup, answer }) => (lookup.host === host ? [answer] : []));
}

function askInTurn(zone: Zone, lookup: Lookup): Promise<Answer> {
  return new Promise((resolve) => {
    waiting.push({ zone, begin: async () => resolve(await ask(zone, lookup)) });
    if (!isAsking) void askWaiting();
  });
}

/** One that failed once, with the name server, is not kept waiting by those that never have an answer. */
async function askWaiting(): Promise<void> {
  isAsking = true;
  while (waiting.length > 0) {
    waiting.sort((a, b) => a.zone.failures - b.zone.failures);
    await waiting.shift()!.begin();
  }
  isAsking = false;
}

/** After the name server was away, lookups that nobody waits for any longer would keep back those that somebody does. */
async function ask(zone: Zone, { host, options, until }: Lookup): Promise<Answer> {
  if (performance.now() > until)
    return [Object.assign(new Error(`nobody waits for the address of ${host}`), { code: 'EAI_AGAIN' }), ''];
  const answer = await new Promise<Answer>((resolve) =>
    dns.lookup(host, options, (...given: Answer) => resolve(given)),
  ).catch((error: unknown): Answer => [error as Error, '']);
  const code = answer[0]?.code;
  zone.failures = code === undefined || code === 'ENOTFOUND' ? 0 : Math.min(MANY, zone.failures + 1);
  return answer;
}
