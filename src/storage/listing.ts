import type { Grants } from '../policy/grants.ts';
import type { Abortable, Provider } from './provider.ts';

export type ListQuery = Abortable & {
  readonly bucket: string;
  readonly prefix: string;
  /** Keys beneath the next delimiter are rolled up into `prefixes`. */
  readonly delimiter?: string | undefined;
  /** `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
  /** 1 to 1000. */
  readonly limit: number;
  /** Of the caller: `caller.effective`. */
  readonly grants: Grants;
};

export type ListedObject = { readonly key: string; readonly size: number; readonly etag: string; readonly last_modified: string };

export type ObjectPage = { readonly objects: ListedObject[]; readonly prefixes: string[]; readonly next_cursor: string | null };

/** Lists the keys of a bucket that the caller may list, a page at a time, in the byte order of their UTF-8. */
export async function listObjects(_provider: Provider, _query: ListQuery): Promise<ObjectPage> {
  throw new Error('to be built');
}
