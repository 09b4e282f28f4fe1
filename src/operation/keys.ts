import type { Caller } from '../access/caller.ts';
import { invalidRequest, refuseFault } from '../access/invalid.ts';
import type { Targets } from '../access/target.ts';
import type { AuditResource } from '../audit/audit-resource.ts';
import type { Trail } from '../audit/trail.ts';
import { codeOf } from '../errors/svc-error.ts';
import type { Key } from '../key/key.ts';
import type { IssuedKey, KeyActor, Keys } from '../key/keys.ts';
import { prefixFault } from '../policy/model/name.ts';
import type { ApiKeyScopeWire } from '../wire/api-key.ts';
import { parseTimestamp } from './parse-timestamp.ts';
import { matchesPerson, pageOf } from './page.ts';

/** Key operations need an interactive session, and scopes may be long. */
export const forPeople = { access: { kind: 'interactive' }, maxInputBytes: 65_536 } as const;

/** Scopes may be long, and a page of keys has to fit into an answer. */
const MAX_KEYS = 100;

type KeyPages = {
  readonly person?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
};

/** A page of everybody's keys. */
export async function keysOfAll(
  registry: Keys,
  question: KeyPages,
): Promise<{ readonly keys: readonly Key[]; readonly total: number; readonly nextCursor: string | null }> {
  const chosen = (await registry.outlines()).filter(({ creator }) => matchesPerson(question.person, creator));
  const { page, nextCursor } = pageOf(chosen, ({ createdAt, id }) => ({ at: createdAt, id }), {
    limit: MAX_KEYS,
    ...question,
  });
  return { keys: await registry.read(page.map(({ id }) => id)), total: chosen.length, nextCursor };
}

/** Revokes every key of a person, and records each. @returns the number of revoked keys. */
export async function revokeKeysOf(
  registry: Keys,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  caller: Caller,
  did: (key: Key) => void,
): Promise<number> {
  const theirs = (await registry.outlines()).filter(
    ({ creator }) => creator.issuer === issuer && creator.subject === subject,
  );
  let revoked = 0;
  for (const { id } of theirs) {
    const key = await registry.revoke(id, actorOf(caller)).catch(whenGone);
    if (key === undefined) continue;
    did(key);
    revoked += 1;
  }
  return revoked;
}

/** Ignores that somebody else has revoked the key in the meantime. */
function whenGone(error: unknown): undefined {
  if (codeOf(error) !== 'not_found') throw error;
}

/**
 * Checks the keys and prefixes of a scope by the rules for requests.
 *
 * @throws {SvcError} `invalid_request`
 */
export function checkKeysIn(targets: Targets, { rules }: ApiKeyScopeWire): void {
  rules.forEach(({ resources }, i) =>
    resources.forEach((selector, j) => {
      const path = `params.scope.rules.${i}.resources.${j}`;
      if (selector.type === 'prefix')
        refuseFault(`${path}.prefix`, prefixFault(selector.prefix, targets.dotsOf(selector.provider)));
      if (selector.type === 'object')
        refuseFault(`${path}.key`, prefixFault(selector.key, targets.dotsOf(selector.provider)));
    }),
  );
}

/**
 * Changes a key, and records in the audit which key it is and who created it.
 *
 * @param resource - the key as the audit names it; undefined when what was sent has not the form of an id.
 */
export async function onKey<T extends Key | IssuedKey>(
  resource: AuditResource | undefined,
  trail: Trail,
  change: () => Promise<T>,
): Promise<T> {
  const changed = await change();
  const { creator } = 'credential' in changed ? changed.key : changed;
  aboutKey(resource, trail, creator);
  return changed;
}

export function aboutKey(resource: AuditResource | undefined, trail: Trail, creator?: Key['creator']): void {
  if (resource !== undefined) trail.about(resource, creator);
}

export function actorOf({ identity, name, isAdmin }: Caller): KeyActor {
  return { identity, name, isAdmin };
}

/** What keys of every kind have on the wire, but for their id. */
export function recordOf(key: Key) {
  return {
    description: key.description,
    scope: key.scope,
    expiresAt: timeOf(key.expiresAt),
    creator: {
      issuer: key.creator.issuer,
      subject: key.creator.subject,
      groups: key.creator.groups,
      name: key.creator.name,
    },
    createdAt: new Date(key.createdAt).toISOString(),
    rotatedAt: timeOf(key.rotatedAt),
    lastUsedAt: timeOf(key.lastUsedAt),
  };
}

export function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export function millisecondsOf(time: string | null): number | null {
  if (time === null) return null;
  const ms = time.includes('T') ? parseTimestamp(time) : undefined;
  if (ms === undefined)
    throw invalidRequest({
      path: 'params.expiresAt',
      message: 'must be an RFC 3339 time such as `2030-01-31T12:00:00Z`, or null',
    });
  return ms;
}
