import { operation } from './operation.ts';
import { matchesPerson, pageOf } from './page.ts';
import type { KeptSignIn } from './services.ts';

export const listSignIns = operation({
  name: 'signIn/list',
  access: { kind: 'admin' },
  run: async ({ input, services }) => {
    const { person, group, result } = input;
    const all = (await services.signIns?.read(result === 'unknown' ? 'unknown' : 'known')) ?? [];
    const asked = (group === undefined ? all : lastWith(group, all)).filter(
      (each) =>
        matchesPerson(person, { name: each.name ?? '', subject: each.subject ?? '' }) &&
        (result === undefined || result === 'unknown' || each.result === result),
    );
    const { page, nextCursor } = pageOf(
      asked,
      ({ at, id }) => ({ at, id }),
      input,
      (each) => JSON.stringify(each).length,
    );
    return {
      signIns: page.map(({ at, address, ...rest }) => ({
        ...rest,
        at: new Date(at).toISOString(),
        address: address ?? null,
      })),
      total: asked.length,
      nextCursor,
    };
  },
});

/** The last successful sign-in of each person who had the group then. The latest stands first. */
function lastWith(group: string, signIns: readonly KeptSignIn[]): readonly KeptSignIn[] {
  const successful = signIns.filter(({ result }) => result === 'signedIn');
  const ofPeople = Map.groupBy(successful, ({ issuer, subject }) => JSON.stringify([issuer, subject]));
  return [...ofPeople.values()].flatMap(([last]) => (last!.groups.some(({ name }) => name === group) ? [last!] : []));
}
