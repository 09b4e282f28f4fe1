import dns from 'node:dns';
import type { LookupFunction } from 'node:net';

type Answer = Parameters<Parameters<LookupFunction>[2]>;

const underWay = new Map<string, Promise<Answer>>();
/** Names whose last lookup failed. */
const failed = new Set<string>();
let lastOfFailed: Promise<unknown> = Promise.resolve();

/**
 * Looks up a host, once for all who want the same one meanwhile. Node looks up two names at a time, and one that no server answers for may take half a minute.
 * A second one of these would keep all others waiting, so names that failed before are looked up one after another.
 */
export const lookup: LookupFunction = (host, options, done) => {
  const question = `${host} ${JSON.stringify(options)}`;
  let answer = underWay.get(question);
  if (answer === undefined) {
    answer = failed.has(host) ? lastOfFailed.then(() => ask(host, options)) : ask(host, options);
    if (failed.has(host)) lastOfFailed = answer;
    underWay.set(question, answer);
    void answer.then(() => underWay.delete(question));
  }
  void answer.then((result) => done(...result));
};

/** The lookups of the name of a host that are under way. */
export function lookupsOf(host: string): readonly Promise<unknown>[] {
  return [...underWay].flatMap(([question, answer]) => (question.startsWith(`${host} `) ? [answer] : []));
}

function ask(host: string, options: Parameters<LookupFunction>[1]): Promise<Answer> {
  return new Promise((resolve) => {
    dns.lookup(host, options, (...answer: Answer) => {
      if (answer[0] === null) failed.delete(host);
      else failed.add(host);
      resolve(answer);
    });
  });
}
