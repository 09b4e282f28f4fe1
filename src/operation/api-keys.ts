import type { Caller } from '../access/caller.ts';
import { invalidRequest, refuseFault } from '../access/invalid.ts';
import type { Targets } from '../access/target.ts';
import type { Key } from '../key/key.ts';
import type { KeyActor, IssuedKey } from '../key/keys.ts';
import type { ApiKeys } from '../apikey/api-keys.ts';
import type { Trail } from '../audit/trail.ts';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { prefixFault } from '../policy/model/name.ts';
import { isPublicId } from '../secret/secret.ts';
import type { ApiKeyScopeWire, ApiKeyWire } from '../wire/api-key.ts';
import { parseTimestamp } from './parse-timestamp.ts';
import { operation } from './operation.ts';
import { matchesPerson, pageOf } from './page.ts';
import type { Services } from './services.ts';

/** These operations need an interactive session. */
const forPeople = { access: { kind: 'interactive' }, maxInputBytes: 65_536 } as const;

export const createApiKey = operation({
  name: 'apiKey/create',
  ...forPeople,
  run: async ({ input: { description, scope, expiresAt = null }, caller, services, trail }) => {
    checkKeys(services.targets, scope);
    const issued = await registryOf(services).create(
      { description, scope, expiresAt: millisecondsOf(expiresAt) },
      actorOf(caller),
    );
    noteKey(trail, issued.key);
    return issuedOf(issued);
  },
});

export const listApiKeys = operation({
  name: 'apiKey/list',
  ...forPeople,
  run: async ({ caller, services }) => ({ keys: (await registryOf(services).list(actorOf(caller))).map(wireOf) }),
});

export const rotateApiKey = operation({
  name: 'apiKey/rotate',
  ...forPeople,
  run: async ({ input: { id }, caller, services, trail }) =>
    issuedOf(await onKey(id, trail, () => registryOf(services).rotate(id, actorOf(caller)))),
});

export const replaceApiKeyScope = operation({
  name: 'apiKey/replaceScope',
  ...forPeople,
  run: async ({ input: { id, scope }, caller, services, trail }) => {
    checkKeys(services.targets, scope);
    return { key: wireOf(await onKey(id, trail, () => registryOf(services).replaceScope(id, scope, actorOf(caller)))) };
  },
});

export const revokeApiKey = operation({
  name: 'apiKey/revoke',
  ...forPeople,
  run: async ({ input: { id }, caller, services, trail }) => {
    await onKey(id, trail, () => registryOf(services).revoke(id, actorOf(caller)));
    return {};
  },
});

/** Scopes may be long, and a page of keys has to fit into an answer. */
const MAX_KEYS = 100;

const forAdmins = { access: { kind: 'admin' } } as const;

export const listEverybodysApiKeys = operation({
  name: 'apiKey/listAll',
  ...forAdmins,
  run: async ({ input, services }) => {
    const registry = registryOf(services);
    const chosen = (await registry.outlines()).filter(({ creator }) => matchesPerson(input.person, creator));
    const { page, nextCursor } = pageOf(chosen, ({ createdAt, id }) => ({ at: createdAt, id }), {
      limit: MAX_KEYS,
      ...input,
    });
    return { keys: (await registry.read(page.map(({ id }) => id))).map(wireOf), total: chosen.length, nextCursor };
  },
});

export const revokeApiKeysOfPerson = operation({
  name: 'apiKey/revokeAll',
  ...forAdmins,
  run: async ({ input: { issuer, subject }, caller, services, trail }) => {
    const registry = registryOf(services);
    const theirs = (await registry.outlines()).filter(
      ({ creator }) => creator.issuer === issuer && creator.subject === subject,
    );
    let revoked = 0;
    for (const { id } of theirs) {
      const key = await registry.revoke(id, actorOf(caller)).catch(whenGone);
      if (key === undefined) continue;
      trail.did({ apiKey: id }, key.creator);
      revoked += 1;
    }
    return { revoked };
  },
});

/** Ignores that somebody else has revoked the key in the meantime. */
function whenGone(error: unknown): undefined {
  if (codeOf(error) !== 'not_found') throw error;
}

/** The registry of API keys. Faces leave these operations out when there is none. */
function registryOf({ apiKeys }: Services): ApiKeys {
  if (apiKeys === undefined) throw new SvcError('not_found', { detail: 'this service has no API keys' });
  return apiKeys;
}

/**
 * Checks the keys and prefixes of a scope by the rules for requests.
 *
 * @throws {SvcError} `invalid_request`
 */
function checkKeys(targets: Targets, { rules }: ApiKeyScopeWire): void {
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

/** Changes a key, and records in the audit which key it is and who created it. */
async function onKey<T extends Key | IssuedKey>(id: string, trail: Trail, change: () => Promise<T>): Promise<T> {
  if (isPublicId(id)) trail.about({ apiKey: id });
  const changed = await change();
  noteKey(trail, 'credential' in changed ? changed.key : changed);
  return changed;
}

function noteKey(trail: Trail, { id, creator }: Key): void {
  trail.about({ apiKey: id }, creator);
}

function actorOf({ identity, name, isAdmin }: Caller): KeyActor {
  return { identity, name, isAdmin };
}

function issuedOf({ key, credential }: IssuedKey): { key: ApiKeyWire; credential: string } {
  return { key: wireOf(key), credential };
}

function wireOf(key: Key): ApiKeyWire {
  return {
    id: key.id,
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

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function millisecondsOf(time: string | null): number | null {
  if (time === null) return null;
  const ms = time.includes('T') ? parseTimestamp(time) : undefined;
  if (ms === undefined)
    throw invalidRequest({
      path: 'params.expiresAt',
      message: 'must be an RFC 3339 time such as `2030-01-31T12:00:00Z`, or null',
    });
  return ms;
}
