import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

type Options = Parameters<LookupFunction>[1];
type Answer = Parameters<Parameters<LookupFunction>[2]>;

const underWay = new Map<string, Promise<Answer>>();
/** How often in a row no server answered for a name, up to {@link MANY}. */
const failures = new Map<string, number>();
/** One that failed so often waits no longer than those that failed more often. */
const MANY = 2;
/** Lookups of these names, which begin one after another. */
const waiting: { readonly host: string; readonly begin: () => Promise<void> }[] = [];
let isAsking = false;

/**
 * Looks up a host, once for all who want the same one meanwhile. Node looks up two names at a time, and one that no server answers for may take half a minute.
 * A second one of these would keep all others waiting, so names that no server answered for are looked up one after another.
 */
export const lookup: LookupFunction = (host, options, done) => {
  const question = `${host} ${JSON.stringify(options)}`;
  let answer = underWay.get(question);
  if (answer === undefined) {
    answer = failures.has(host) ? askInTurn(host, options) : ask(host, options);
    underWay.set(question, answer);
    void answer.then(() => underWay.delete(question));
  }
  void answer.then((result) => done(...result));
};

/** The lookups of the name of a host that are under way. */
export function lookupsOf(host: string): readonly Promise<unknown>[] {
  return [...underWay].flatMap(([question, answer]) => (question.startsWith(`${host} `) ? [answer] : []));
}

function askInTurn(host: string, options: Options): Promise<Answer> {
  return new Promise((resolve) => {
    waiting.push({ host, begin: async () => resolve(await ask(host, options)) });
    if (!isAsking) void askWaiting();
  });
}

/** One that failed once, with the name server, is not kept waiting by those that never have an answer. */
async function askWaiting(): Promise<void> {
  isAsking = true;
  while (waiting.length > 0) {
    waiting.sort((a, b) => (failures.get(a.host) ?? 0) - (failures.get(b.host) ?? 0));
    await waiting.shift()!.begin();
  }
  isAsking = false;
}

function ask(host: string, options: Options): Promise<Answer> {
  return new Promise((resolve) => {
    dns.lookup(host, options, (...answer: Answer) => {
      const code = answer[0]?.code;
      if (code === undefined || code === 'ENOTFOUND') failures.delete(host);
      else failures.set(host, Math.min(MANY, (failures.get(host) ?? 0) + 1));
      resolve(answer);
    });
  });
}
