import type { Key } from '../../src/key/key.ts';
import type { KeyScope } from '../../src/policy/model/key-scope.ts';
import type { KeyActor } from '../../src/key/keys.ts';

export const CAPACITY = 64;
export const ACTOR: KeyActor = {
  identity: { issuer: 'https://id.example', subject: 'ada', groups: [] },
  name: 'Ada',
  isAdmin: false,
};

export type ChangeName = 'create' | 'rotate' | 'replaceScope' | 'revoke';

/** What the worker writes, a line each: that it begins a change, and that the change was acknowledged to it. */
export type WorkerLine =
  | { readonly begin: ChangeName; readonly id?: string }
  | { readonly done: ChangeName; readonly id: string; readonly credential?: string; readonly mark?: string };

/** A scope that can be told from others. */
export function scopeWithMark(mark: string): KeyScope {
  return {
    rules: [{ actions: ['objects:get'], resources: [{ type: 'prefix', provider: 'p', bucket: 'b', prefix: mark }] }],
  };
}

export function markOf(key: Key): string | undefined {
  const selector = key.scope.rules[0]?.resources[0];
  return selector?.type === 'prefix' ? selector.prefix : undefined;
}
