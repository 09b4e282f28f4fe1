import type { TestApp } from './app.ts';
import type { Visitor } from './visitor.ts';

/** Objects of a bucket of the provider `main`, by the service's own routes. */
export type Files = {
  put(key: string, body: string | Uint8Array<ArrayBuffer>, type?: string): Promise<void>;
  get(key: string): Promise<Response>;
  remove(key: string): Promise<void>;
  /** Every key, sorted. */
  keys(prefix?: string): Promise<string[]>;
};

export function filesOf(app: TestApp, visitor: Visitor, bucket: string): Files {
  const base = `${app.origin}/api/providers/main/buckets/${bucket}`;
  const object = (key: string) => `${base}/object?key=${encodeURIComponent(key)}`;
  const json = { accept: 'application/json' };
  return {
    put: async (key, body, type = 'application/octet-stream') => {
      const response = await visitor.request(object(key), {
        method: 'PUT',
        body,
        headers: { ...json, 'content-type': type },
      });
      if (!response.ok) throw new Error(`\`${key}\` was not stored (${response.status}): ${await response.text()}`);
    },
    get: (key) => visitor.request(object(key), { headers: json }),
    remove: async (key) => {
      await visitor.request(object(key), { method: 'DELETE', headers: json });
    },
    keys: async (prefix = '') => {
      const response = await visitor.request(`${base}/objects?limit=1000&prefix=${encodeURIComponent(prefix)}`, {
        headers: json,
      });
      const { objects } = (await response.json()) as { objects: { key: string }[] };
      return objects.map(({ key }) => key);
    },
  };
}
