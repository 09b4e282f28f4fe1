import type { ApiKeys } from '../apikey/api-keys.ts';
import type { Trail } from '../audit/trail.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Key } from '../key/key.ts';
import type { IssuedKey } from '../key/keys.ts';
import { isPublicId } from '../secret/secret.ts';
import type { ApiKeyWire } from '../wire/api-key.ts';
import {
  aboutKey,
  actorOf,
  checkKeysIn,
  forPeople,
  keysOfAll,
  millisecondsOf,
  onKey,
  recordOf,
  revokeKeysOf,
} from './keys.ts';
import { onPerson } from './one-person.ts';
import { operation } from './operation.ts';
import type { Services } from './services.ts';

export const createApiKey = operation({
  name: 'apiKey/create',
  ...forPeople,
  run: async ({ input: { description, scope, expiresAt = null }, caller, services, trail }) => {
    checkKeysIn(services.targets, scope);
    const issued = await registryOf(services).create(
      { description, scope, expiresAt: millisecondsOf(expiresAt) },
      actorOf(caller),
    );
    trail.about({ apiKey: issued.key.id }, issued.key.creator);
    return issuedOf(issued);
  },
});

export const listApiKeys = operation({
  name: 'apiKey/list',
  ...forPeople,
  run: async ({ caller, services }) => ({ keys: (await registryOf(services).list(actorOf(caller))).map(wireOf) }),
});

const onOne = {
  ...forPeople,
  about: ({ id }: { readonly id: string }, trail: Trail) => aboutKey(resourceOf(id), trail),
} as const;

export const rotateApiKey = operation({
  name: 'apiKey/rotate',
  ...onOne,
  run: async ({ input: { id }, caller, services, trail }) =>
    issuedOf(await onKey(resourceOf(id), trail, () => registryOf(services).rotate(id, actorOf(caller)))),
});

export const replaceApiKeyScope = operation({
  name: 'apiKey/replaceScope',
  ...onOne,
  run: async ({ input: { id, scope }, caller, services, trail }) => {
    checkKeysIn(services.targets, scope);
    const replace = () => registryOf(services).replaceScope(id, scope, actorOf(caller));
    return { key: wireOf(await onKey(resourceOf(id), trail, replace)) };
  },
});

export const revokeApiKey = operation({
  name: 'apiKey/revoke',
  ...onOne,
  run: async ({ input: { id }, caller, services, trail }) => {
    await onKey(resourceOf(id), trail, () => registryOf(services).revoke(id, actorOf(caller)));
    return {};
  },
});

const forAdmins = { access: { kind: 'admin' } } as const;

export const listEverybodysApiKeys = operation({
  name: 'apiKey/listAll',
  ...forAdmins,
  run: async ({ input, services }) => {
    const { keys, ...page } = await keysOfAll(registryOf(services), input);
    return { keys: keys.map(wireOf), ...page };
  },
});

export const revokeApiKeysOfPerson = operation({
  name: 'apiKey/revokeAll',
  ...onPerson,
  run: async ({ input, caller, services, trail }) => ({
    revoked: await revokeKeysOf(registryOf(services), input, caller, ({ id, creator }) =>
      trail.did({ apiKey: id }, creator),
    ),
  }),
});

/** The registry of API keys. Faces leave these operations out when there is none. */
function registryOf({ apiKeys }: Services): ApiKeys {
  if (apiKeys === undefined) throw new SvcError('not_found', { detail: 'this service has no API keys' });
  return apiKeys;
}

function resourceOf(id: string): { readonly apiKey: string } | undefined {
  return isPublicId(id) ? { apiKey: id } : undefined;
}

function issuedOf({ key, credential }: IssuedKey): { key: ApiKeyWire; credential: string } {
  return { key: wireOf(key), credential };
}

function wireOf(key: Key): ApiKeyWire {
  return { id: key.id, ...recordOf(key) };
}
