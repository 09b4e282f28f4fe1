import type { CodeEntries } from '../../src/signin/desktop-code.ts';
import type { LoginLedger } from '../../src/signin/ledger.ts';

/** What pending logins and codes are kept in, for one instance. */
export function entriesInMemory(now: () => number): CodeEntries & LoginLedger & { readonly ids: () => string[] } {
  const values = new Map<string, { readonly value: string; readonly expiresAt: number }>();
  const used = new Map<string, number>();
  return {
    ids: () => [...values.keys(), ...used.keys()],
    put: async (id, value, expiresAt) => void values.set(id, { value, expiresAt }),
    get: async (id) => {
      const entry = values.get(id);
      return entry !== undefined && entry.expiresAt > now() ? entry.value : undefined;
    },
    consume: async (id, expiresAt) => {
      if ((used.get(id) ?? 0) > now()) return 'replayed';
      used.set(id, expiresAt);
      return 'first';
    },
  };
}
