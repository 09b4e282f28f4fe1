import { operation } from './operation.ts';
import { matchesPerson, pageOf } from './page.ts';

export const listSignIns = operation({
  name: 'signIn/list',
  access: { kind: 'admin' },
  run: async ({ input, services }) => {
    const { person, result } = input;
    const all = (await services.signIns?.read(result === 'unknown' ? 'unknown' : 'known')) ?? [];
    const asked = all.filter(
      (each) =>
        matchesPerson(person, { name: '', subject: each.subject ?? '' }) &&
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
