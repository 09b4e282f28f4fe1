import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signInDesktop } from '../../support/desktop-client.ts';
import { RpcClient } from '../../support/rpc-client.ts';
import { connectionToEach, type KeptConnection } from '../../support/worker-connections.ts';
import { startWorkersService, type WorkersService } from '../../support/workers-service.ts';

const SCOPE = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] } as const;
const LIST = { method: 'POST', body: { jsonrpc: '2.0', id: 1, method: 'provider/list', params: {} } };

let service: WorkersService;
let workers: readonly KeptConnection[] = [];

beforeAll(async () => {
  service = await startWorkersService(2);
  await service.says('the workers answer requests');
});
beforeEach(connect);
afterEach(() => {
  for (const pid of [service.pid, ...service.workers()]) process.kill(pid, 'SIGCONT');
});
afterAll(async () => {
  for (const worker of workers) worker.close();
  await service.close();
});

/** A connection that was idle for some seconds is closed, and the next one may reach another worker. */
async function connect(): Promise<void> {
  for (const worker of workers) worker.close();
  workers = await connectionToEach(service);
}

/** Signs in, and lets every worker know the session. */
async function session(): Promise<string> {
  const { access_token: credential } = await signInDesktop(service, 'eve');
  expect(await askEach(credential)).toEqual([200, 200]);
  return credential;
}

/** A request that a session and a key may make. */
const ask = (worker: KeptConnection, credential: string) => worker.ask('/rpc', credential, LIST);
const askEach = (credential: string) => Promise.all(workers.map((worker) => ask(worker, credential)));

async function signOut(worker: KeptConnection, credential: string): Promise<number> {
  const since = performance.now();
  expect(await worker.ask('/v1/auth/logout', credential, { method: 'POST' })).toBe(200);
  return performance.now() - since;
}

/** Asks until the credential is refused. @returns how often it was accepted in a time in which every worker looks at the file. */
async function accepted(worker: KeptConnection, credential: string): Promise<number> {
  let count = 0;
  for (const end = performance.now() + 1_200; performance.now() < end;)
    if ((await ask(worker, credential)) === 200) count += 1;
  return count;
}

describe('with two workers and SQLite', () => {
  it('no worker accepts a session after its sign-out was answered', async () => {
    const answers: number[] = [];
    for (let round = 0; round < 200; round += 1) {
      const credential = await session();
      const [one, other] = round % 2 === 0 ? workers : workers.toReversed();
      await signOut(one!, credential);
      answers.push(await ask(other!, credential));
    }
    expect(answers).toEqual(Array(200).fill(401));
  });

  it('no worker accepts a key after its revocation was answered, nor the old secret of a rotated one', async () => {
    const client = RpcClient.bearer(service.origin, (await signInDesktop(service, 'ada')).access_token);
    const answers: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      const { key, credential } = await client.call('apiKey/create', { description: 'ends', scope: SCOPE });
      expect(await askEach(credential)).toEqual([200, 200]);
      const next = (await client.call('apiKey/rotate', { id: key.id })).credential;
      answers.push(...(await askEach(credential)));
      expect(await askEach(next)).toEqual([200, 200]);
      await client.call('apiKey/revoke', { id: key.id });
      answers.push(...(await askEach(next)));
    }
    expect(answers).toEqual(Array(400).fill(401));
  });

  it('no worker accepts a session or a key of a person after their suspension was answered, nor a sign-in, until they are resumed', async () => {
    const admin = RpcClient.bearer(service.origin, (await signInDesktop(service, 'ada')).access_token);
    const answers: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const own = await session();
      const client = RpcClient.bearer(service.origin, own);
      const { key, credential } = await client.call('apiKey/create', { description: 'rests', scope: SCOPE });
      expect(await askEach(credential)).toEqual([200, 200]);
      const { issuer, subject } = key.creator;
      await admin.call('person/suspend', { issuer, subject });
      answers.push(...(await askEach(own)), ...(await askEach(credential)));
      const refused = await Promise.all([1, 2, 3, 4].map(() => signInDesktop(service, 'eve').catch(String)));
      expect(refused).toEqual(Array(4).fill(expect.stringContaining('person_suspended')));
      await admin.call('person/resume', { issuer, subject });
      expect(await askEach(credential)).toEqual([200, 200]);
    }
    expect(answers).toEqual(Array(80).fill(401));
  });

  it('a sign-out takes no longer than two requests when every worker answers', async () => {
    const took: number[] = [];
    for (let round = 0; round < 20; round += 1) took.push(await signOut(workers[round % 2]!, await session()));
    expect(took.toSorted((a, b) => a - b)[10]).toBeLessThan(100);
  });

  it('a sign-out is answered within about a second while the parent stands still, and is then in force', async () => {
    for (let round = 0; round < 3; round += 1) {
      await connect();
      const [one, other] = workers as [KeptConnection, KeptConnection];
      const credential = await session();
      process.kill(service.pid, 'SIGSTOP');
      expect(await signOut(one, credential)).toBeLessThan(2_000);
      expect({ round, accepted: await accepted(other, credential) }).toEqual({ round, accepted: 0 });
      process.kill(service.pid, 'SIGCONT');
    }
  });

  it('a worker that stood still during a sign-out, of which it was not told, does not accept the session when it continues', async () => {
    for (let round = 0; round < 5; round += 1) {
      await connect();
      const [one, other] = workers as [KeptConnection, KeptConnection];
      const credential = await session();
      for (const pid of [service.pid, service.workers()[1]!]) process.kill(pid, 'SIGSTOP');
      expect(await signOut(one, credential)).toBeLessThan(2_000);
      const answer = ask(other, credential);
      process.kill(service.workers()[1]!, 'SIGCONT');
      expect({ round, answer: await answer }).toEqual({ round, answer: 401 });
      process.kill(service.pid, 'SIGCONT');
    }
  });
});
