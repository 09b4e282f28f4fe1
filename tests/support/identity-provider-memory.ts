import type { Adapter, AdapterPayload } from 'oidc-provider';

type Entry = { readonly payload: AdapterPayload; readonly expiresAt: number };

/** What an identity provider remembers, apart from the provider, so that it survives a change of keys or clients. */
export class IdentityProviderMemory {
  readonly #entries = new Map<string, Entry>();

  adapter(model: string): Adapter {
    const entries = this.#entries;
    const place = (id: string): string => `${model}:${id}`;
    const find = (id: string): AdapterPayload | undefined => {
      const entry = entries.get(place(id));
      return entry !== undefined && entry.expiresAt > Date.now() ? entry.payload : undefined;
    };
    return {
      find: async (id) => find(id),
      findByUid: async (uid) => {
        for (const [name, { payload }] of entries) {
          if (name.startsWith(`${model}:`) && payload.uid === uid) return find(name.slice(model.length + 1));
        }
        return undefined;
      },
      findByUserCode: async () => undefined,
      upsert: async (id, payload, expiresIn) => {
        entries.set(place(id), { payload, expiresAt: Date.now() + (expiresIn || Infinity) * 1000 });
      },
      consume: async (id) => {
        const payload = find(id);
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => {
        entries.delete(place(id));
      },
      revokeByGrantId: async (grantId) => {
        for (const [name, { payload }] of entries) if (payload.grantId === grantId) entries.delete(name);
      },
    };
  }
}
