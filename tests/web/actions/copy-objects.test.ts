import { createHash } from 'node:crypto';
import { BroadcastChannel } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ConflictAnswer } from '../../../src/web/work/conflict.ts';
import { SessionGate } from '../../../src/web/work/session-gate.ts';
import { TaskBoard } from '../../../src/web/work/task-board.ts';
import { CONFIG, startApp, type TestApp } from '../../support/app.ts';
import { signInPeople, type People } from '../../support/audit-cases.ts';

const FILES = { provider: 'main', bucket: 'files' };
/** Where Dan may write, and neither read nor list. */
const BOX = { provider: 'main', bucket: 'photos' };
const OBJECT = '/api/providers/main/buckets/files/object?key=';

let app: TestApp;
let people: People;
/** How many of the next requests are lost on their way. */
let lost: number;
/** What a proxy has done with the next copy before it sends it again: all of it, or only the first half of the move. */
let sentBefore: 'all' | (() => Promise<unknown>) | undefined;
const { fetch } = globalThis;

beforeAll(async () => {
  const box = [{ type: 'bucket', provider: 'main', bucket: 'photos' }];
  app = await startApp({
    config: (config) => ({
      ...config,
      policies: [
        ...CONFIG.policies,
        { version: 1, name: 'box', rules: [{ effect: 'allow', actions: ['objects:write'], resources: box }] },
      ],
      bindings: [...CONFIG.bindings, { groups: ['team'], policies: ['box'] }],
    }),
  });
  people = await signInPeople(app);
  const cookie = `svc_session=${(await app.signIn('dan')).cookie(app.origin, 'svc_session')!}`;
  // A browser knows the page and its origin, and adds the cookie. Node does neither.
  Object.assign(globalThis, {
    // An open channel would keep the process of the test alive.
    BroadcastChannel: class extends BroadcastChannel {
      constructor(name: string) {
        super(name);
        this.unref();
      }
    },
    document: { baseURI: `${app.origin}/` },
    window: { location: { origin: app.origin } },
    fetch: async (asked: Request | string, options?: RequestInit) => {
      if ((lost -= 1) >= 0) throw new TypeError('Failed to fetch');
      const request = new Request(typeof asked === 'string' ? new URL(asked, app.origin) : asked, options);
      request.headers.set('cookie', cookie);
      request.headers.set('origin', app.origin);
      if (sentBefore !== undefined && request.url.endsWith('/objects/copy')) {
        const before = sentBefore;
        sentBefore = undefined;
        await (before === 'all' ? fetch(request.clone()) : before());
      }
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
  sentBefore = undefined;
});

const put = (key: string, body: string) => people.http('dan', 'PUT', OBJECT + encodeURIComponent(key), { body });
const textOf = async (key: string) => {
  const answer = await people.http('dan', 'GET', OBJECT + encodeURIComponent(key));
  return answer.status === 200 ? answer.text() : answer.status;
};

/** Moves one object or a folder, and answers the question about a taken name. @returns the keys that were asked about, and the codes of failures. */
async function move(from: string, to: string, answer: ConflictAnswer, etag = '', bucket = FILES): Promise<string[]> {
  const { copyObjects } = await import('../../../src/web/actions/copy-objects.ts');
  const kind = from.endsWith('/') && etag === 'folder' ? ('folder' as const) : ('file' as const);
  const asked: string[] = [];
  const plan = {
    from: FILES,
    to: bucket,
    steps: [{ from: { kind, key: from, size: 4, etag }, to }],
    move: true,
    ask: async ({ target }: { readonly target: { readonly key: string } }) => {
      asked.push(target.key);
      return answer;
    },
  };
  const { results, failure: ofAll } = await new TaskBoard(new SessionGate(), 0).run(
    copyObjects(plan, { title: 'Moving', doneTitle: 'Moved' }),
  );
  return [...asked, ...[{ failure: ofAll }, ...results].flatMap(({ failure }) => failure?.code ?? [])];
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

it('a move of what somebody has deleted fails, also when a try was lost', async () => {
  lost = 1;
  expect(await move('none', 'nowhere', 'skip', 'etag')).toEqual(['not_found']);
  await put('other', 'longer than it');
  lost = 1;
  expect(await move('none', 'other', 'skip', 'etag')).toEqual(['not_found']);
  lost = 1;
  // Nobody can tell where the copy may not be looked at.
  expect(await move('none', 'nowhere', 'skip', 'etag', BOX)).toEqual([]);
});

describe('a move that a proxy sends twice', () => {
  it('is done when the first request has done all of it', async () => {
    const etag = createHash('md5').update('mine').digest('hex');
    await put('twice', 'mine');
    sentBefore = 'all';
    expect(await move('twice', 'moved', 'skip', etag)).toEqual([]);
    expect([await textOf('twice'), await textOf('moved')]).toEqual([404, 'mine']);
    // Of what was never there, nothing is at the target.
    expect(await move('none', 'there', 'skip', etag)).toEqual(['not_found']);
    expect(await move('none', 'moved', 'skip', 'other')).toEqual(['not_found']);
  });

  it('asks nothing about its own copy, where the target was free', async () => {
    await put('first/a', 'mine');
    sentBefore = () => put('second/a', 'mine');
    expect(await move('first/', 'second/', 'skip', 'folder')).toEqual([]);
    expect([await textOf('first/a'), await textOf('second/a')]).toEqual([404, 'mine']);
  });

  it('asks nothing when the look at its own copy is lost', async () => {
    await put('fifth/a', 'mine');
    sentBefore = async () => {
      await put('sixth/a', 'mine');
      lost = 1;
    };
    expect(await move('fifth/', 'sixth/', 'skip', 'folder')).toEqual([]);
    expect([await textOf('fifth/a'), await textOf('sixth/a')]).toEqual([404, 'mine']);
  });

  it('asks where something was at the target before, though it has the same content', async () => {
    await put('third/a', 'mine');
    await put('fourth/a', 'mine');
    expect(await move('third/', 'fourth/', 'skip', 'folder')).toEqual(['fourth/a']);
    expect(await textOf('third/a')).toBe('mine');
  });

  it('is taken back, whichever half of that was done before', async () => {
    const { moveBack } = await import('../../../src/web/actions/move-back.ts');
    for (const before of ['all' as const, () => put('old', 'mine')]) {
      await put('new', 'mine');
      const etag = `"${createHash('md5').update('mine').digest('hex')}"`;
      sentBefore = before;
      const moved = { from: 'old', to: 'new', etag, hasReplaced: false };
      const task = moveBack([moved], { from: FILES, to: FILES }, { title: 'Undoing', doneTitle: 'Undone' });
      const { results } = await new TaskBoard(new SessionGate(), 0).run(task);
      expect(results).toEqual([{ key: 'old', failure: undefined }]);
      expect([await textOf('old'), await textOf('new')]).toEqual(['mine', 404]);
      await people.http('dan', 'DELETE', `${OBJECT}old`);
    }
  });
});
