import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConflictAnswer } from '../../../src/web/work/conflict.ts';
import { SessionGate } from '../../../src/web/work/session-gate.ts';
import { TaskBoard } from '../../../src/web/work/task-board.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInPeople, type People } from '../../support/audit-cases.ts';

const FILES = { provider: 'main', bucket: 'files' };
const OBJECT = '/api/providers/main/buckets/files/object?key=';

let app: TestApp;
let people: People;
/** How many of the next requests are lost on their way. */
let lost: number;
const { fetch } = globalThis;

beforeAll(async () => {
  app = await startApp();
  people = await signInPeople(app);
  const cookie = `svc_session=${(await app.signIn('dan')).cookie(app.origin, 'svc_session')!}`;
  // A browser knows the page and its origin, and adds the cookie. Node does neither.
  Object.assign(globalThis, {
    document: { baseURI: `${app.origin}/` },
    window: { location: { origin: app.origin } },
    fetch: async (asked: Request | string, options?: RequestInit) => {
      if ((lost -= 1) >= 0) throw new TypeError('Failed to fetch');
      const request = new Request(typeof asked === 'string' ? new URL(asked, app.origin) : asked, options);
      request.headers.set('cookie', cookie);
      request.headers.set('origin', app.origin);
      return fetch(request);
    },
  });
});
afterAll(async () => {
  globalThis.fetch = fetch;
  await app.close();
});
beforeEach(() => {
  lost = 0;
});

const put = (key: string, body: string) => people.http('dan', 'PUT', OBJECT + encodeURIComponent(key), { body });
const textOf = async (key: string) => {
  const answer = await people.http('dan', 'GET', OBJECT + encodeURIComponent(key));
  return answer.status === 200 ? answer.text() : answer.status;
};

/** Moves one object, and answers the question about a taken name. @returns the keys that were asked about. */
async function move(from: string, to: string, answer: ConflictAnswer): Promise<string[]> {
  const { copyObjects } = await import('../../../src/web/actions/copy-objects.ts');
  const asked: string[] = [];
  const plan = {
    from: FILES,
    to: FILES,
    steps: [{ from: { kind: 'file' as const, key: from }, to }],
    move: true,
    ask: async ({ target }: { readonly target: { readonly key: string } }) => {
      asked.push(target.key);
      return answer;
    },
  };
  await new TaskBoard(new SessionGate(), 0).run(copyObjects(plan, { title: 'Moving', doneTitle: 'Moved' }));
  return asked;
}

describe('a move to a name that is taken', () => {
  it('asks before it replaces other content, also when its first request was lost', async () => {
    await put('a', 'mine');
    await put('b', 'theirs');
    lost = 1;
    expect(await move('a', 'b', 'skip')).toEqual(['b']);
    expect([await textOf('a'), await textOf('b')]).toEqual(['mine', 'theirs']);
  });

  it('deletes no object that has content for a mark of its folder', async () => {
    await put('old/', 'content');
    await put('new/', '');
    expect(await move('old/', 'new/', 'skip')).toEqual(['new/']);
    expect(await textOf('old/')).toBe('content');
  });

  it('deletes the mark of a folder whose new name has one', async () => {
    await put('empty/', '');
    await put('there/', '');
    expect(await move('empty/', 'there/', 'skip')).toEqual([]);
    expect(await textOf('empty/')).toBe(404);
  });
});
