import type { Connection } from '../../client/connection.ts';
import { pagesOf } from '../../client/pages.ts';
import type { OperationOutput } from '../../wire/operations.ts';
import type { KeyPath } from '../argument/remote-path.ts';

export type Version = OperationOutput<'object/listVersions'>['versions'][number];

/** The versions of an object, or those of everything that begins with a prefix, page by page. */
export async function* versionPages(
  connection: Connection,
  { provider, bucket, key }: KeyPath,
  of: 'object' | 'prefix',
): AsyncGenerator<readonly Version[], void, void> {
  const place = { provider, bucket, ...(of === 'object' ? { key } : { prefix: key }), limit: 1000 };
  const pages = pagesOf(
    (at) => connection.call('object/listVersions', { ...place, ...at }),
    ({ versions }) => versions.map((last) => `${last.version} ${last.key}`).at(-1),
  );
  for await (const { versions } of pages) yield versions;
}
