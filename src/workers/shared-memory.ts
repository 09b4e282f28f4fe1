import { setTimeout as wait } from 'node:timers/promises';
import { withDeadline } from '../bounds/deadline.ts';
import type { Counts } from '../state/counts.ts';
import type { ExpiringEntries } from '../state/expiring-entries.ts';
import { NOTICED_MS, type NoticeKind, type Notices, type ObjectNotices } from '../state/notices.ts';
import type { RecentTexts } from '../state/recent-texts.ts';
import type { Turn, Turns } from '../storage/turns.ts';
import type { FromHub, HubCalls } from './hub.ts';
import type { Link } from './link.ts';

/** What the workers of a service share, seen from one of them: each call asks the hub. */
export class SharedMemory {
  readonly recent: RecentTexts;
  readonly counts: Counts;
  readonly turns: Turns = { queue: (name) => this.#queue(name) };
  readonly notices: Notices;
  readonly objectNotices: ObjectNotices = {
    tell: (names) => this.#tell('object', names),
    on: (listener) => this.notices.on('object', listener),
  };
  /** What the hub may call. */
  readonly calls: FromHub;
  readonly #hub: () => Pick<Link<HubCalls>, 'ask' | 'tell'>;
  readonly #listeners: Readonly<Record<NoticeKind, ((names: readonly string[]) => void)[]>> = {
    session: [],
    key: [],
    object: [],
  };
  readonly #waiting = new Map<number, () => void>();
  #turn = 0;

  /** @param hub - gives the link to the hub, which is made with {@link calls}. */
  constructor(hub: () => Pick<Link<HubCalls>, 'ask' | 'tell'>) {
    this.#hub = hub;
    this.recent = {
      add: (...given) => hub().ask('addText', ...given),
      read: (list) => hub().ask('readTexts', list),
    };
    this.counts = { add: (...given) => hub().ask('count', ...given) };
    this.notices = {
      tell: (...given) => this.#tell(...given),
      on: (kind, listener) => void this.#listeners[kind].push(listener),
    };
    this.calls = {
      turnCame: (turn) => {
        this.#waiting.get(turn)?.();
        this.#waiting.delete(turn);
      },
      noticed: (kind, names) => {
        for (const listener of this.#listeners[kind]) listener(names);
      },
    };
  }

  /** Entries of one kind have a capacity of their own. */
  entries(kind: string): ExpiringEntries {
    const hub = this.#hub;
    return {
      put: (...given) => hub().ask('put', kind, ...given),
      get: (id) => hub().ask('get', kind, id),
      take: (id) => hub().ask('take', kind, id),
      consume: (...given) => hub().ask('consume', kind, ...given),
      remove: (id) => hub().ask('remove', kind, id),
      raise: (...given) => hub().ask('raise', kind, ...given),
      largest: (id) => hub().ask('largest', kind, id),
    };
  }

  async #tell(...notice: Parameters<Notices['tell']>): Promise<void> {
    const until = performance.now() + NOTICED_MS;
    await withDeadline(this.#hub().ask('notice', ...notice), NOTICED_MS, () => new Error('no answer')).catch(() =>
      wait(Math.max(0, until - performance.now())),
    );
  }

  #queue(name: string): Turn {
    const turn = (this.#turn += 1);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.set(turn, () => resolve(undefined));
    this.#hub().tell('queue', turn, name);
    return {
      ready: promise,
      end: () => {
        this.#waiting.delete(turn);
        this.#hub().tell('endTurn', turn);
      },
    };
  }
}
