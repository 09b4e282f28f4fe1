import { tlsFault } from '../errors/tls-fault.ts';

const TLS_SETTINGS = { authority: '`auth.session.tls.ca_file`', address: '`auth.session.url`' };

/** Faults of an unusable Redis with their meaning. The text follows the name of the server in a sentence. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:WRONGPASS|NOAUTH|NOPERM)\b/, 'refuses the user or password; check `auth.session.url`'],
  [
    /\b(?:MOVED|CROSSSLOT|CLUSTERDOWN|ASK)\b/,
    'is a node of a Redis Cluster, or one that is not whole; set `auth.session.cluster: true`, or name a single server in `auth.session.url`',
  ],
  [
    /unknown command/i,
    'does not know the commands of a server that keeps values; if it is a Sentinel, set `auth.session.sentinel`',
  ],
  [/\bNOMASTER\b/, 'is a Sentinel that knows no server of this name; check `auth.session.sentinel.name`'],
  [/\bREPLACED\b/, 'has been replaced by another server; the service goes there'],
  [/\bREADONLY\b/, 'is a replica, which takes no changes; name the primary server in `auth.session.url`'],
  [/\bECONNREFUSED\b/, 'refuses the connection; check that it runs, and `auth.session.url`'],
  [/\b(?:ENOTFOUND|EAI_AGAIN)\b/, 'has an address that is not known; check `auth.session.url`'],
];

/** Says why Redis cannot be used and what to do. It names neither user nor password. */
export function redisFault(hosts: string, fault: unknown): string {
  const words = wordsOf(fault);
  const tls = words.map((word) => tlsFault(word, TLS_SETTINGS)).find((found) => found !== undefined);
  const meaning =
    tls ??
    MEANINGS.find(([pattern]) => pattern.test(words.join(' ')))?.[1] ??
    `cannot be used (${words[0] ?? 'no answer'})`;
  return `Redis at \`${hosts}\` ${meaning}`;
}

/** The codes and messages of an error and its causes, the innermost and most informative first. */
function wordsOf(fault: unknown): string[] {
  const words: string[] = [];
  for (let inner = fault; typeof inner === 'object' && inner !== null; inner = (inner as Error).cause) {
    const { code, message } = inner as NodeJS.ErrnoException;
    words.unshift(...[code, message].filter((word) => typeof word === 'string'));
  }
  return words;
}
