import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ANONYMOUS, type Caller } from '../../src/access/caller.ts';
import { CredentialWatch } from '../../src/access/credential-watch.ts';
import { Identify } from '../../src/access/identify.ts';
import { Targets } from '../../src/access/target.ts';
import type { Audit, AuditRecord } from '../../src/audit/record.ts';
import { SvcError } from '../../src/errors/svc-error.ts';
import { operation, type AnyOperation, type Performance } from '../../src/operation/operation.ts';
import { Performer, type Attempt } from '../../src/operation/perform.ts';
import { HELD_BYTES_OF_A_PERSON, HELD_BYTES_OF_KEYS, SMALL_BYTES } from '../../src/operation/held-memory.ts';
import { LivePolicies } from '../../src/access/live-policies.ts';
import { MemorySessionStore } from '../../src/session/memory-store.ts';
import { Sessions } from '../../src/session/sessions.ts';
import { Providers } from '../../src/storage/storage.ts';
import { heldBytes } from '../support/held-bytes.ts';

/** Dan may read and write the bucket `files`, but not what begins with `secret/`. Everything that happens is noted in its order. */
let happened: string[];
let records: AuditRecord[];
let sessions: Sessions;
/** Resolves when what is written has reached the disk. Without it, the audit has no file. */
let disk: ((what: string) => Promise<void>) | undefined;
let performer: Performer;
let dan: Caller;

beforeEach(async () => {
  [happened, records] = [[], []];
  disk = undefined;
  const files = { provider: 'main', bucket: 'files' } as const;
  const policies = new LivePolicies({
    enabled: true,
    policies: [
      {
        name: 'team',
        source: 'config',
        rules: [
          { effect: 'allow', actions: ['objects:get', 'objects:write'], resources: [{ type: 'bucket', ...files }] },
          {
            effect: 'deny',
            actions: ['objects:get', 'objects:write'],
            resources: [{ type: 'prefix', ...files, prefix: 'secret/' }],
          },
        ],
      },
    ],
    roles: [],
    bindings: [{ groups: ['team'], policies: ['team'] }],
    localUsers: [],
  });
  sessions = new Sessions({
    store: new MemorySessionStore({ capacity: 8, perSubject: 8, now: Date.now }),
    ttlSeconds: 60,
    isAdmin: () => false,
    now: Date.now,
  });
  const identify = new Identify({ authEnabled: true, sessions, policies, apiKeys: undefined, cookieSecrets: [] });
  const watch = new CredentialWatch({ identify, sessions, apiKeys: undefined, now: Date.now });
  const audit: Audit = {
    reads: 'content',
    ready: () => undefined,
    intend: () => disk?.('the intention').then(() => 1),
    write: (record) => {
      records.push(record);
      return disk?.('the end');
    },
  };
  performer = new Performer({
    audit,
    watch,
    storage: { providers: new Providers([]) },
    services: { targets: new Targets(() => 'refuse') } as never,
  });
  const { credential } = await sessions.start({
    kind: 'desktop',
    identity: { issuer: 'i', subject: 'dan', groups: ['team'] },
    name: 'Dan',
    idToken: '',
    address: '127.0.0.1',
  });
  dan = (await identify.byCredentials({ bearer: credential }))!;
});

class TestAttempt implements Attempt<unknown> {
  readonly origin = { requestId: 'r', address: '127.0.0.1', face: 'rpc' } as const;
  readonly body = Readable.from([]);
  readonly signal: AbortSignal;
  readonly inputBytes: number;
  readonly known?: Caller;
  readonly #caller: Caller | undefined;
  readonly #input: unknown;

  constructor(
    caller: Caller | undefined,
    input: unknown,
    more: { readonly known?: Caller; readonly signal?: AbortSignal; readonly inputBytes?: number } = {},
  ) {
    this.inputBytes = more.inputBytes ?? 0;
    this.#caller = caller;
    this.#input = input;
    this.signal = more.signal ?? new AbortController().signal;
    if (more.known !== undefined) this.known = more.known;
  }

  async identify(): Promise<Caller | undefined> {
    happened.push('identify');
    return this.#caller;
  }

  async read(): Promise<unknown> {
    happened.push('read');
    return this.#input;
  }

  locate(member: readonly string[]): readonly string[] {
    return ['here', ...member];
  }

  async answer(output: unknown): Promise<unknown> {
    happened.push('answer');
    return output;
  }

  cut(): void {
    happened.push('cut');
  }
}

const at = (key: string) => ({ provider: 'main', bucket: 'files', key });
const described = { key: 'k', size: 0, etag: '', lastModified: null, contentType: '' };

/** An operation on an object that notes what it gets; `act` is what it does meanwhile. */
function describing(
  access: 'open' | 'session' | 'interactive' | 'admin',
  act: () => unknown = () => undefined,
): AnyOperation {
  return operation({
    name: 'object/head',
    access: { kind: access },
    run: async ({ caller }) => (happened.push(`run for ${caller.identity.subject}`), await act(), described),
  });
}

/** An operation that asks to read an object and, for the key `both`, to write two others as well. With the name of one that `moves` bytes, those of objects travel. */
function reading({
  moves,
  act = () => undefined,
}: {
  readonly moves: 'object/read' | 'object/write' | 'upload/part' | undefined;
  readonly act?: () => unknown;
}): AnyOperation {
  const asks = ({ provider, bucket, key }: ReturnType<typeof at>, targets: Targets) => {
    happened.push('ask');
    const others = key === 'both' ? ['secret/both', 'open'] : [];
    return [
      { action: 'objects:get', resource: targets.object(provider, bucket, key) } as const,
      ...others.map(
        (other) => ({ action: 'objects:write', resource: targets.object(provider, bucket, other) }) as const,
      ),
    ];
  };
  const run = async ({ targets }: Pick<Performance<unknown>, 'targets'>) => (
    happened.push(`run with ${JSON.stringify(targets)}`),
    await act(),
    described
  );
  const access = { kind: 'policy', asks } as const;
  return operation({ name: moves ?? 'object/head', access, run: run }) as never;
}

const perform = (each: AnyOperation, attempt: Attempt<unknown>): Promise<unknown> => performer.perform(each, attempt);
const afterTurns = async () => {
  // An object that was just made is kept until the end of its turn.
  for (let i = 0; i < 3; i += 1) await setImmediate();
};
const endSession = () => sessions.endById(dan.credentialId);

describe('an input', () => {
  it('counts as memory of its person until it is answered', async () => {
    const inputBytes = HELD_BYTES_OF_A_PERSON;
    const { promise: storage, resolve: answer } = Promise.withResolvers<undefined>();
    const slow = perform(
      describing('session', () => storage),
      new TestAttempt(dan, at('k'), { inputBytes }),
    );
    await setImmediate();
    const waiting = perform(describing('session'), new TestAttempt(dan, at('k'), { inputBytes: SMALL_BYTES + 1 }));
    await setImmediate();
    expect(happened).toEqual(['identify', 'read', 'run for dan', 'identify']);
    answer(undefined);
    await slow;
    await waiting;
    expect(happened.slice(4)).toEqual(['answer', 'read', 'run for dan', 'answer']);
  });

  it('is taken from a person whose keys hold all that they may, so that they can revoke a stolen one', async () => {
    const key: Caller = { ...dan, kind: 'apiKey', session: undefined, credentialId: 'k' };
    const { promise: storage, resolve: answer } = Promise.withResolvers<undefined>();
    const stolen = Array.from({ length: 2 }, () =>
      perform(
        describing('session', () => storage),
        new TestAttempt(key, at('k'), { inputBytes: HELD_BYTES_OF_A_PERSON / 2 }),
      ),
    );
    await setImmediate();
    happened = [];
    const inputBytes = HELD_BYTES_OF_A_PERSON - HELD_BYTES_OF_KEYS;
    await perform(describing('session'), new TestAttempt(dan, at('k'), { inputBytes }));
    expect(happened).toEqual(['identify', 'read', 'run for dan', 'answer']);
    answer(undefined);
    await Promise.all(stolen);
  });

  it('of all people is held by four of them, and a small request still waits for nothing', async () => {
    const { promise: storage, resolve: answer } = Promise.withResolvers<undefined>();
    const holding = Array.from({ length: 4 }, (_, i) => {
      const other: Caller = { ...dan, identity: { ...dan.identity, subject: `other ${i}` } };
      const attempt = new TestAttempt(other, at('k'), { inputBytes: HELD_BYTES_OF_A_PERSON });
      return perform(
        describing('session', () => storage),
        attempt,
      );
    });
    await setImmediate();
    happened = [];
    await perform(describing('session'), new TestAttempt(dan, at('k'), { inputBytes: 200 }));
    expect(happened).toEqual(['identify', 'read', 'run for dan', 'answer']);
    answer(undefined);
    await Promise.all(holding);
  });
});

describe('an answer that may be long', () => {
  it('is built four times at once for a person, and once more when one has its memory; others and short ones do not wait', async () => {
    const eve: Caller = { ...dan, identity: { ...dan.identity, subject: 'eve' } };
    const { promise: database, resolve: read } = Promise.withResolvers<undefined>();
    const { promise: client, resolve: take } = Promise.withResolvers<undefined>();
    const unread = (): Attempt<unknown> =>
      Object.assign(new TestAttempt(dan, at('k')), {
        answer: async (...[, , hold]: Parameters<Attempt<unknown>['answer']>) => {
          await hold(SMALL_BYTES + 1);
          await client;
        },
      });
    const running = (who: string) => happened.filter((what) => what === `run for ${who}`).length;
    const slow = Array.from({ length: 9 }, () =>
      perform(
        describing('interactive', () => database),
        unread(),
      ),
    );
    await afterTurns();
    expect(running('dan')).toBe(4);
    await perform(describing('session'), new TestAttempt(dan, at('k')));
    await perform(describing('admin'), new TestAttempt({ ...eve, isAdmin: true }, at('k')));
    expect([running('dan'), running('eve')]).toEqual([5, 1]);
    read(undefined);
    for (let i = 0; i < 9; i += 1) await afterTurns();
    expect(running('dan')).toBe(10);
    take(undefined);
    await Promise.all(slow);
  });
});

describe('a change', () => {
  it('of an administrator gives back its turn before its client reads the answer', async () => {
    const { promise: client, resolve: take } = Promise.withResolvers<undefined>();
    const change = operation({
      name: 'session/revokeAll',
      access: { kind: 'admin' },
      run: async () => (happened.push('run'), { revoked: 1 }),
    });
    const unread = Array.from({ length: 9 }, () =>
      perform(
        change,
        Object.assign(new TestAttempt({ ...dan, isAdmin: true }, { issuer: 'i', subject: 'eve' }), {
          answer: async (...[, , hold]: Parameters<Attempt<unknown>['answer']>) => {
            await hold(SMALL_BYTES + 1);
            await client;
          },
        }),
      ),
    );
    for (let i = 0; i < 9; i += 1) await afterTurns();
    expect(happened.filter((what) => what === 'run')).toHaveLength(9);
    take(undefined);
    await Promise.all(unread);
  });

  it('begins when its intention is on the disk, and is answered when its end is', async () => {
    disk = async (what) => {
      await setImmediate();
      happened.push(`${what} is on the disk`);
    };
    const change = operation({
      name: 'session/revokeAll',
      access: { kind: 'session' },
      run: async () => (happened.push('run'), { revoked: 1 }),
    });
    await perform(change, new TestAttempt(dan, { issuer: 'i', subject: 'dan' }));
    expect(happened).toEqual([
      'identify',
      'read',
      'the intention is on the disk',
      'run',
      'the end is on the disk',
      'answer',
    ]);
  });
});

describe('an operation', () => {
  it('is refused to somebody unknown before anything is read, and without a line', async () => {
    for (const access of ['session', 'interactive', 'admin'] as const) {
      await expect(perform(describing(access), new TestAttempt(undefined, at('k')))).rejects.toMatchObject({
        code: 'session_required',
      });
    }
    expect([happened, records]).toEqual([['identify', 'identify', 'identify'], []]);
  });

  it('is refused to a key where a person is wanted, and to whoever is not an administrator, before anything is read, and with a line that names them', async () => {
    const key: Caller = { ...dan, kind: 'apiKey', session: undefined };
    await expect(perform(describing('interactive'), new TestAttempt(key, at('k')))).rejects.toMatchObject({
      code: 'interactive_session_required',
    });
    await expect(perform(describing('admin'), new TestAttempt(dan, at('k')))).rejects.toMatchObject({
      code: 'admin_required',
    });
    expect(happened).toEqual(['identify', 'identify']);
    expect(records.map(({ why, outcome, who }) => [why, outcome, who.subject, who.via])).toEqual([
      ['interactive_session_required', 'denied', 'dan', 'apiKey'],
      ['admin_required', 'denied', 'dan', 'desktop'],
    ]);
  });

  it('is performed for a key where a session or key will do, for an administrator, and in the name of nobody where it is open', async () => {
    await perform(describing('session'), new TestAttempt({ ...dan, kind: 'apiKey', session: undefined }, at('k')));
    await perform(describing('interactive'), new TestAttempt(dan, at('k')));
    await perform(describing('admin'), new TestAttempt({ ...dan, isAdmin: true }, at('k')));
    await perform(describing('open'), new TestAttempt(dan, at('k')));
    expect(happened.filter((step) => step.startsWith('run'))).toEqual([
      'run for dan',
      'run for dan',
      'run for dan',
      `run for ${ANONYMOUS.identity.subject}`,
    ]);
  });

  it('asks policy nothing about an input that is wrong, and says where it was', async () => {
    await expect(
      perform(reading({ moves: undefined }), new TestAttempt(dan, { provider: 'main', bucket: 'files', key: 1 })),
    ).rejects.toMatchObject({ code: 'invalid_request', members: { errors: [{ path: 'here.key' }] } });
    expect(happened).toEqual(['identify', 'read']);
  });

  it('is performed with what policy allowed, and answered then', async () => {
    expect(await perform(reading({ moves: undefined }), new TestAttempt(dan, at('k')))).toEqual(described);
    expect(happened).toEqual([
      'identify',
      'read',
      'ask',
      `run with ${JSON.stringify([{ kind: 'object', ...at('k') }])}`,
      'answer',
    ]);
  });

  it('is not performed after one no, which is told; the line has every question', async () => {
    await expect(perform(reading({ moves: undefined }), new TestAttempt(dan, at('both')))).rejects.toMatchObject({
      code: 'access_denied',
      members: { action: 'objects:write', resource: { key: 'secret/both' }, reason: 'explicit_deny' },
    });
    expect(happened).toEqual(['identify', 'read', 'ask']);
    expect(records[0]?.resources).toMatchObject(
      [
        ['both', 'untouched'],
        ['secret/both', 'denied'],
        ['open', 'untouched'],
      ].map(([key, outcome]) => ({ ...at(key!), outcome })),
    );
  });
});

describe('a session that ends while an operation runs', () => {
  it.each(['object/read', 'object/write', 'upload/part'] as const)(
    'cuts off %s, which moves the bytes of objects, and the line says why',
    async (moves) => {
      await perform(
        reading({ moves, act: endSession }),
        new TestAttempt(dan, { ...at('k'), ...(moves === 'upload/part' && { id: 'u', number: 1 }) }),
      );
      expect(happened).toContain('cut');
      expect(records).toMatchObject([
        { operation: moves, outcome: 'failed', why: 'session_ended', who: { subject: 'dan' } },
      ]);
    },
  );

  it('cuts off an answer that its client does not read, which would stay in memory', async () => {
    const attempt: Attempt<unknown> = Object.assign(new TestAttempt(dan, at('k')), {
      answer: async (...[, , hold]: Parameters<Attempt<unknown>['answer']>) => {
        await hold(SMALL_BYTES + 1);
        await endSession();
      },
    });
    await perform(reading({ moves: undefined }), attempt);
    expect(happened).toContain('cut');
    expect(records).toMatchObject([{ outcome: 'failed', why: 'session_ended' }]);
  });

  it('ends the wait of those that wait for their turn, and nothing is done for them', async () => {
    const { promise: database, resolve: read } = Promise.withResolvers<undefined>();
    const slow = () =>
      perform(
        describing('interactive', () => database),
        new TestAttempt(dan, at('k')),
      );
    const running = Array.from({ length: 4 }, slow);
    const waiting = expect(slow()).rejects.toMatchObject({ code: 'session_required' });
    await afterTurns();
    happened = [];
    await endSession();
    await waiting;
    read(undefined);
    await Promise.all(running);
    expect(happened).toEqual(Array.from({ length: 4 }, () => 'answer'));
    expect(records.map(({ outcome, why }) => [outcome, why])).toEqual([['failed', 'session_required']]);
  });

  it('leaves alone what moves none, and what was done before', async () => {
    await perform(reading({ moves: 'object/read' }), new TestAttempt(dan, at('k')));
    await perform(reading({ moves: undefined, act: endSession }), new TestAttempt(dan, at('k')));
    expect(happened).not.toContain('cut');
    expect(records.map(({ outcome }) => outcome)).toEqual(['done']);
  });
});

describe('a connection that was opened by somebody known', () => {
  const ended = new SvcError('session_required');
  const failing = () => reading({ moves: undefined, act: () => Promise.reject(new SvcError('storage_unavailable')) });

  it('has a line in their name once their session has ended', async () => {
    const attempt = new TestAttempt(dan, at('k'), { known: dan });
    attempt.identify = () => Promise.reject(ended);
    await expect(perform(reading({ moves: undefined }), attempt)).rejects.toBe(ended);
    expect(records).toMatchObject([
      { outcome: 'failed', why: 'session_ended', who: { subject: 'dan', via: 'desktop' } },
    ]);
  });

  it('is told that the session ended, whatever storage made of the abort', async () => {
    await expect(
      perform(failing(), new TestAttempt(dan, at('k'), { known: dan, signal: AbortSignal.abort(ended) })),
    ).rejects.toBe(ended);
    expect(records).toMatchObject([{ why: 'session_ended' }]);
  });

  it('is told what storage said when it went away for a reason of its own', async () => {
    await expect(
      perform(failing(), new TestAttempt(dan, at('k'), { known: dan, signal: AbortSignal.abort() })),
    ).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(records).toMatchObject([{ why: 'storage_unavailable' }]);
  });
});

it('an output is not kept while its client reads the bytes that were made of it', async () => {
  const { promise: outputs, resolve: made } = Promise.withResolvers<WeakRef<object>>();
  const { promise: isRead, resolve: read } = Promise.withResolvers<undefined>();
  const list = operation({
    name: 'object/head',
    access: { kind: 'session' },
    run: async () => ({ ...described }),
  });
  const attempt = new TestAttempt(dan, at('k'));
  attempt.answer = (output) => (made(new WeakRef(output as object)), isRead);
  const performed = perform(list, attempt);
  const output = await outputs;
  await afterTurns();
  heldBytes();
  expect(output.deref()).toBeUndefined();
  read(undefined);
  await performed;
});
