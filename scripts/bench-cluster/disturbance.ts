import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from '../../tests/support/cluster.ts';

export type ClusterFigures = { made: number; revoked: number; sessions: number; listings: number; failed: number; lost: number; wrong: number; slowestEndMs: number };

type Answer = { readonly status: number; readonly result: Record<string, unknown> | undefined };

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
  readonly #figures: ClusterFigures = { made: 0, revoked: 0, sessions: 0, listings: 0, failed: 0, lost: 0, wrong: 0, slowestEndMs: 0 };

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
      for (const credential of this.#standing) if ((await this.#ask(credential, 'session/get', {}, instance)).status !== 200) figures.lost += 1;
      for (const credential of this.#ended) if ((await this.#ask(credential, 'session/get', {}, instance)).status !== 401) figures.lost += 1;
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
    const revoked = await this.#ask(this.#admin, 'apiKey/revoke', { id: (result['key'] as { id: string }).id });
    if (revoked.result === undefined) return;
    this.#figures.revoked += 1;
    await this.#measureEnd(credential);
  }

  async #changeSessions(): Promise<void> {
    const credential = await this.#signIn().catch(() => undefined);
    if (credential === undefined) return void (this.#figures.failed += 1);
    this.#expectNo401((await this.#ask(credential, 'session/get', {})).status);
    const signedOut = await fetch(`${this.#cluster.origin}/v1/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${credential}` } }).catch(() => undefined);
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

  #expectNo401(status: number): void {
    if (status === 401) this.#figures.wrong += 1;
  }

  async #ask(credential: string, method: string, params: object, origin = this.#cluster.origin): Promise<Answer> {
    try {
      const answer = await fetch(`${origin}/rpc`, { method: 'POST', headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
      const { result } = answer.ok ? ((await answer.json()) as { result?: Record<string, unknown> }) : {};
      if (answer.status >= 500) this.#figures.failed += 1;
      return { status: answer.status, result };
    } catch {
      // The instance was killed.
      this.#figures.failed += 1;
      return { status: 0, result: undefined };
    }
  }
}
