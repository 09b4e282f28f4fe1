import { invalidRequest } from '../access/invalid.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { Suspensions } from '../key/suspensions.ts';
import { digestOf } from '../secret/secret.ts';
import { onPerson } from './one-person.ts';
import { operation } from './operation.ts';
import { matchesPerson, pageOf } from './page.ts';
import type { Services } from './services.ts';
import { endSessionsOf } from './sessions.ts';

export const suspendPerson = operation({
  name: 'person/suspend',
  ...onPerson,
  run: async ({ input: person, caller, services, trail }) => {
    const suspensions = suspensionsOf(services);
    const { issuer, subject } = person;
    if (issuer === caller.identity.issuer && subject === caller.identity.subject)
      throw invalidRequest({
        path: 'params.subject',
        message: 'you cannot suspend yourself; ask another administrator',
      });
    await suspensions.suspend(person);
    trail.did({ person: subject }, { issuer, subject, name: subject });
    // A sign-in that stored its session before is ended here, and one that stores it later finds the suspension.
    return { endedSessions: await endSessionsOf(services, person, trail) };
  },
});

export const resumePerson = operation({
  name: 'person/resume',
  ...onPerson,
  run: async ({ input: person, services }) => ({ resumed: await suspensionsOf(services).resume(person) }),
});

export const listSuspended = operation({
  name: 'person/listSuspended',
  access: { kind: 'admin' },
  run: async ({ input, services }) => {
    const people = (await suspensionsOf(services).list()).filter((each) => matchesPerson(input.person, each));
    const { page, nextCursor } = pageOf(
      people,
      ({ issuer, subject, since }) => ({ at: since, id: digestOf(JSON.stringify([issuer, subject])) }),
      input,
    );
    return {
      people: page.map(({ since, ...person }) => ({ ...person, since: new Date(since).toISOString() })),
      total: people.length,
      nextCursor,
    };
  },
});

function suspensionsOf({ suspensions }: Services): Suspensions {
  if (suspensions === undefined)
    throw new SvcError('not_supported', {
      detail: 'without a state database nobody can be suspended; set `state` in the configuration',
    });
  return suspensions;
}
