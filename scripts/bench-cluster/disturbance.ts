import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Cluster } from '../../tests/support/cluster.ts';
import { ask, type Answer } from './ask.ts';

export type ClusterFigures = {
  made: number;
  revoked: number;
  sessions: number;
  listings: number;
  failed: number;
  lost: number;
  wrong: number;
  slowestEndMs: number;
  sockets: number;
  slowestSocketMs: number;
};

const SCOPE = { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] };
const KEY_WORKERS = 2;
const LISTING_WORKERS = 2;
const END_MS = 10_000;

/** Requests to a cluster whose instances are killed, and what was promised to them. */
export class Disturbance {
  readonly #cluster: Cluster;
  readonly #admin: string;
  readonly #signIn: () => Promise<string>;
  readonly #standing: string[] = [];
  readonly #ended: string[] = [];
  readonly #figures: ClusterFigures = {
    made: 0,
    revoked: 0,
    sessions: 0,
    listings: 0,
    failed: 0,
    lost: 0,
    wrong: 0,
    slowestEndMs: 0,
    sockets: 0,
    slowestSocketMs: 0,
  };

  /** @param admin - a credential that makes keys. @param signIn - gives a new session's credential. */
  constructor(cluster: Cluster, admin: string, signIn: () => Promise<string>) {
    this.#cluster = cluster;
    this.#admin = admin;
    this.#signIn = signIn;
  }

  async run(end: number): Promise<ClusterFigures> {
    const until = async (work: () => Promise<void>): Promise<void> => {
      while (performance.now() < end) await work();
    };
    await Promise.all([
      ...Array.from({ length: KEY_WORKERS }, () => until(() => this.#changeKeys())),
      ...Array.from({ length: LISTING_WORKERS }, () => until(() => this.#list())),
      until(() => this.#changeSessions()),
    ]);
    return this.#figures;
  }

  /** Looks whether everything is as it was promised, on every instance. */
  async compare(figures: ClusterFigures): Promise<ClusterFigures> {
    for (const instance of this.#cluster.instances) {
      for (const credential of this.#standing)
        if ((await this.#ask(credential, 'session/get', {}, instance)).status !== 200) figures.lost += 1;
      for (const credential of this.#ended)
        if ((await this.#ask(credential, 'session/get', {}, instance)).status !== 401) figures.lost += 1;
    }
    return figures;
  }

  async #changeKeys(): Promise<void> {
    const { status, result } = await this.#ask(this.#admin, 'apiKey/create', { description: 'bench', scope: SCOPE });
    this.#expectNo401(status);
    if (result === undefined) return;
    this.#figures.made += 1;
    const credential = String(result['credential']);
    this.#expectNo401((await this.#ask(credential, 'session/get', {})).status);
    if (this.#figures.made % 10 === 0) {
      this.#standing.push(credential);
      return;
    }
    const sockets = (
      await Promise.all(
        this.#cluster.instances.map((instance) => openSocket(instance, credential, this.#cluster.origin)),
      )
    ).flat();
    const revoked = await this.#ask(this.#admin, 'apiKey/revoke', { id: (result['key'] as { id: string }).id });
    if (revoked.result === undefined) {
      for (const socket of sockets) socket.terminate();
      return;
    }
    this.#figures.revoked += 1;
    await Promise.all([this.#measureEnd(credential), ...sockets.map((socket) => this.#measureSocket(socket))]);
  }

  async #changeSessions(): Promise<void> {
    const credential = await this.#signIn().catch(() => undefined);
    if (credential === undefined) return void (this.#figures.failed += 1);
    this.#expectNo401((await this.#ask(credential, 'session/get', {})).status);
    const signedOut = await fetch(`${this.#cluster.origin}/v1/auth/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}` },
    }).catch(() => undefined);
    if (signedOut?.ok !== true) return void (this.#figures.failed += 1);
    this.#figures.sessions += 1;
    await this.#measureEnd(credential);
  }

  async #list(): Promise<void> {
    const { status } = await this.#ask(this.#admin, 'object/list', { provider: 'main', bucket: 'files' });
    this.#expectNo401(status);
    if (status === 200) this.#figures.listings += 1;
  }

  /** Until every instance that answers refuses the credential. */
  async #measureEnd(credential: string): Promise<void> {
    this.#ended.push(credential);
    const since = performance.now();
    let slowest = 0;
    for (const instance of this.#cluster.instances) {
      for (;;) {
        const asked = performance.now();
        const { status } = await this.#ask(credential, 'session/get', {}, instance);
        if (status !== 200 || asked - since > END_MS) break;
        slowest = asked - since;
        await wait(10);
      }
    }
    this.#figures.slowestEndMs = Math.max(this.#figures.slowestEndMs, slowest);
  }

  /** Until the socket of an ended credential is closed. */
  async #measureSocket(socket: WebSocket): Promise<void> {
    const since = performance.now();
    if (socket.readyState !== WebSocket.CLOSED) await Promise.race([once(socket, 'close'), wait(END_MS)]);
    socket.terminate();
    this.#figures.sockets += 1;
    this.#figures.slowestSocketMs = Math.max(this.#figures.slowestSocketMs, performance.now() - since);
  }

  #expectNo401(status: number): void {
    if (status === 401) this.#figures.wrong += 1;
  }

  async #ask(credential: string, method: string, params: object, origin = this.#cluster.origin): Promise<Answer> {
    const answer = await ask(origin, credential, method, params);
    // 0: the instance was killed.
    if (answer.status === 0 || answer.status >= 500) this.#figures.failed += 1;
    return answer;
  }
}

/** Past nginx, as if through it. None where the instance was just killed. */
async function openSocket(instance: string, credential: string, origin: string): Promise<WebSocket[]> {
  const socket = new WebSocket(`${instance.replace('http', 'ws')}/rpc`, {
    headers: { authorization: `Bearer ${credential}`, origin },
  });
  try {
    await once(socket, 'open');
    // A kill resets it.
    socket.on('error', () => undefined);
    return [socket];
  } catch {
    return [];
  }
}
