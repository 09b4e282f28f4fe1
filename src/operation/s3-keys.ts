import { invalidRequest } from '../access/invalid.ts';
import { permittedInside } from '../access/authorize.ts';
import { providerTarget } from '../access/target.ts';
import type { Trail } from '../audit/trail.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Key } from '../key/key.ts';
import type { IssuedKey } from '../key/keys.ts';
import { everythingAt } from '../key/scope.ts';
import { isAccessKeyId } from '../s3key/s3-key-credential.ts';
import type { S3Keys } from '../s3key/s3-keys.ts';
import type { S3KeyWire } from '../wire/s3-key.ts';
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

export const createS3Key = operation({
  name: 's3Key/create',
  ...forPeople,
  run: async ({ input, caller, services, storage, trail }) => {
    const { provider, description, scope = everythingAt(provider), expiresAt = null } = input;
    checkKeysIn(services.targets, scope);
    // Whether the provider exists is told to those alone who may do something there.
    if (
      permittedInside(caller, { provider: providerTarget(provider).provider }) === undefined ||
      !storage.names().includes(provider)
    )
      throw invalidRequest({ path: 'params.provider', message: `you may do nothing at a provider \`${provider}\`` });
    const issued = await registryOf(services).create(
      { description, provider, scope, expiresAt: millisecondsOf(expiresAt) },
      actorOf(caller),
    );
    trail.about({ s3Key: issued.key.id }, issued.key.creator);
    return issuedOf(issued);
  },
});

export const listS3Keys = operation({
  name: 's3Key/list',
  ...forPeople,
  run: async ({ caller, services }) => ({ keys: (await registryOf(services).list(actorOf(caller))).map(wireOf) }),
});

const onOne = {
  ...forPeople,
  about: ({ accessKeyId: id }: { readonly accessKeyId: string }, trail: Trail) => aboutKey(resourceOf(id), trail),
} as const;

export const rotateS3Key = operation({
  name: 's3Key/rotate',
  ...onOne,
  run: async ({ input: { accessKeyId: id }, caller, services, trail }) =>
    issuedOf(await onKey(resourceOf(id), trail, () => registryOf(services).rotate(id, actorOf(caller)))),
});

export const replaceS3KeyScope = operation({
  name: 's3Key/replaceScope',
  ...onOne,
  run: async ({ input: { accessKeyId: id, scope }, caller, services, trail }) => {
    checkKeysIn(services.targets, scope);
    const replace = () => registryOf(services).replaceScope(id, scope, actorOf(caller));
    return { key: wireOf(await onKey(resourceOf(id), trail, replace)) };
  },
});

export const revokeS3Key = operation({
  name: 's3Key/revoke',
  ...onOne,
  run: async ({ input: { accessKeyId: id }, caller, services, trail }) => {
    await onKey(resourceOf(id), trail, () => registryOf(services).revoke(id, actorOf(caller)));
    return {};
  },
});

const forAdmins = { access: { kind: 'admin' } } as const;

export const listEverybodysS3Keys = operation({
  name: 's3Key/listAll',
  ...forAdmins,
  run: async ({ input, services }) => {
    const { keys, ...page } = await keysOfAll(registryOf(services), input);
    return { keys: keys.map(wireOf), ...page };
  },
});

export const revokeS3KeysOfPerson = operation({
  name: 's3Key/revokeAll',
  ...onPerson,
  run: async ({ input, caller, services, trail }) => ({
    revoked: await revokeKeysOf(registryOf(services), input, caller, ({ id, creator }) =>
      trail.did({ s3Key: id }, creator),
    ),
  }),
});

/** The registry of S3 keys. Faces leave these operations out when there is none. */
function registryOf({ s3Keys }: Services): S3Keys {
  if (s3Keys === undefined) throw new SvcError('not_found', { detail: 'this service has no S3 keys' });
  return s3Keys;
}

function resourceOf(id: string): { readonly s3Key: string } | undefined {
  return isAccessKeyId(id) ? { s3Key: id } : undefined;
}

function issuedOf({ key, credential }: IssuedKey): { key: S3KeyWire; secretAccessKey: string } {
  return { key: wireOf(key), secretAccessKey: credential };
}

function wireOf(key: Key): S3KeyWire {
  return { accessKeyId: key.id, provider: key.provider ?? '', ...recordOf(key) };
}
