import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { auditLog } from '../../src/audit/audit-log.ts';
import { ANONYMOUS, type Caller } from '../../src/access/caller.ts';
import { SvcError } from '../../src/errors/svc-error.ts';
import { createLogger } from '../../src/log/logger.ts';
import { operation, type AnyOperation } from '../../src/operation/operation.ts';
import { Performer } from '../../src/operation/perform.ts';
import { Dispatch, type RpcContext, type RpcResponse } from '../../src/rpc/dispatch.ts';

const MIB = 1_048_576;

/** Subjects that a call was made for, one for each call. */
let calls: string[];
let logged: string;
let dispatch: Dispatch;

beforeEach(() => {
  [calls, logged] = [[], ''];
  const access = { kind: 'session' } as const;
  const operations: readonly AnyOperation[] = [
    operation({
      name: 'session/get',
      access,
      run: ({ caller: { identity } }) => (
        calls.push(identity.subject),
        { issuer: '', subject: identity.subject, groups: [], name: '', kind: 'web', expiresAt: null }
      ),
    }),
    // As many MiB as the provider's name says.
    operation({
      name: 'bucket/create',
      access,
      run: ({ input }) => ({ name: 'x'.repeat(Number(input.provider) * MIB) }),
    }),
    operation({
      name: 'bucket/list',
      access,
      run: () => {
        throw new Error('the password is 1234');
      },
    }),
    operation({
      name: 'provider/list',
      access,
      run: () => {
        throw new SvcError('not_found', { detail: 'not here', members: { parts: [1] } });
      },
    }),
  ];
  const log = createLogger({
    level: 'error',
    format: 'json',
    stream: new Writable({ write: (chunk: Buffer, _encoding, done) => done(void (logged += chunk.toString())) }),
  });
  const performer = new Performer({
    audit: auditLog({ info: () => undefined } as never),
    watch: {} as never,
    storage: {} as never,
    services: {} as never,
  });
  dispatch = new Dispatch({
    methods: new Map(operations.map((each) => [each.name, each])),
    performer,
    log,
    version: '0',
  });
});

const named = (subject: string): Caller => ({
  ...ANONYMOUS,
  kind: 'session',
  identity: { ...ANONYMOUS.identity, subject },
});
const request = (method: string, id?: unknown, params?: object) => ({
  jsonrpc: '2.0',
  method,
  ...(id !== undefined && { id }),
  ...(params !== undefined && { params }),
});
const large = (mib: number, id?: unknown) => request('bucket/create', id, { provider: String(mib), name: 'abc' });

async function send(message: unknown, context: Partial<RpcContext> = {}): Promise<unknown> {
  const whole: RpcContext = {
    caller: named('first'),
    again: async () => named('again'),
    signal: new AbortController().signal,
    origin: { requestId: 'r', address: undefined, face: 'rpc' },
    ...context,
  };
  const answer = await dispatch.answer(typeof message === 'string' ? message : JSON.stringify(message), whole);
  return answer === undefined ? undefined : (JSON.parse(answer.toString()) as unknown);
}
const codesOf = (answers: unknown) =>
  (answers as RpcResponse[]).map((answer) => [answer.id, 'error' in answer ? answer.error.data.code : 'done']);

describe('a batch', () => {
  it('is refused, by request, after 4 MiB of answers; notifications are dropped', async () => {
    const answers = await send([
      large(2, 1),
      large(1, 2),
      large(2, 3),
      request('session/get', 4),
      request('session/get'),
      'nonsense',
    ]);
    expect(codesOf(answers)).toEqual([
      [1, 'done'],
      [2, 'done'],
      [3, 'done'],
      [4, 'payload_too_large'],
      [null, 'payload_too_large'],
    ]);
    expect(calls).toEqual([]);
  });

  it('looks again who asks for each request but the first', async () => {
    await send([request('session/get', 1), request('session/get', 2), request('session/get')]);
    expect(calls).toEqual(['first', 'again', 'again']);
  });

  it('does nothing more for somebody whose session has ended, whoever says so', async () => {
    expect(
      codesOf(await send([request('session/get', 1), request('session/get', 2)], { again: async () => undefined })),
    ).toEqual([
      [1, 'done'],
      [2, 'session_required'],
    ]);
    const asked = send([request('session/get', 3), request('session/get', 4)], {
      signal: AbortSignal.abort(new SvcError('session_required')),
      again: () => Promise.reject(new Error('nobody needs to ask')),
    });
    expect(codesOf(await asked)).toEqual([
      [3, 'session_required'],
      [4, 'session_required'],
    ]);
    expect(calls).toEqual(['first']);
  });

  it('of notifications alone has no answer, though they fail or nobody knows them', async () => {
    expect(
      await send([request('session/get'), request('bucket/list', undefined, { provider: 'p' }), request('no/such')]),
    ).toBeUndefined();
    expect(await send(request('no/such'))).toBeUndefined();
    expect(calls).toEqual(['first']);
  });
});

describe('a request that fails', () => {
  it("tells the catalogue's code, detail and members; nothing is logged that is no fault of ours", async () => {
    expect(await send(request('provider/list', 'a'))).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32004, message: expect.any(String), data: { code: 'not_found', detail: 'not here', parts: [1] } },
    });
    expect(logged).toBe('');
  });

  it('tells nothing of an error that is not ours, which the log has', async () => {
    const answer = await send(request('bucket/list', 0, { provider: 'p' }));
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 0,
      error: { code: -32603, message: expect.any(String), data: { code: 'internal' } },
    });
    expect(logged).toContain('rpc bucket/list failed');
    expect(logged).toContain('the password is 1234');
  });
});

it.each([
  ['{', null, -32700],
  ['[]', null, -32600],
  ['null', null, -32600],
  [[['nested']], null, -32600],
  [{ ...request('session/get', 1), jsonrpc: 2 }, null, -32600],
  [{ ...request('session/get', 1), method: 1 }, null, -32600],
  [request('session/get', true), null, -32600],
  [request('session/get', ['1']), null, -32600],
  [{ ...request('session/get', 1), params: 'x' }, null, -32600],
  [{ ...request('session/get', 1), params: null }, null, -32600],
  [request('x'.repeat(200), 5), 5, -32601],
])('%j is refused with the id %j and %d', async (message, id, code) => {
  const answer = (await send(message)) as RpcResponse | RpcResponse[];
  expect(Array.isArray(answer) ? answer : [answer]).toMatchObject([
    { id, error: { code, data: { code: code === -32601 ? 'method_not_allowed' : 'invalid_request' } } },
  ]);
  expect(JSON.stringify(answer).length).toBeLessThan(250);
  expect(calls).toEqual([]);
});
