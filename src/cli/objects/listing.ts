import { codeOf } from '../../errors/svc-error.ts';
import type { RpcResult } from '../../wire/rpc.ts';
import { ClientFailure } from '../../client/client-failure.ts';
import type { Connection } from '../../client/connection.ts';
import { pagesOf } from '../../client/pages.ts';
import { withRetries } from '../../transfer/retry.ts';
import { asFolder, remoteText, type KeyPath } from '../argument/remote-path.ts';

export type ListedObject = RpcResult<'object/list'>['objects'][number];
export type ListPage = RpcResult<'object/list'>;

/** A folder or an object of a page. */
export type ListedEntry =
  { readonly type: 'prefix'; readonly key: string } | ({ readonly type: 'object' } & ListedObject);

export const PAGE_SIZE = 1000;

/**
 * Yields every page beneath a prefix. With a delimiter, deeper keys are combined into common prefixes.
 *
 * @throws {ClientFailure} when the service lists something else, which the person did not ask to copy or delete.
 */
export async function* listPages(
  connection: Connection,
  path: KeyPath,
  delimiter?: '/',
): AsyncGenerator<ListPage, void, void> {
  const { provider, bucket, key: prefix } = path;
  const pages = pagesOf((at) => {
    const ask = (): Promise<ListPage> =>
      connection.call('object/list', {
        provider,
        bucket,
        prefix,
        limit: PAGE_SIZE,
        ...(delimiter && { delimiter }),
        ...at,
      });
    // The first page is asked for once, so that the person learns at once that the service does not run.
    return at.cursor === undefined ? ask() : withRetries(ask, connection);
  });
  for await (const page of pages) {
    const other = [...page.objects.map(({ key }) => key), ...page.prefixes].find((key) => !key.startsWith(prefix));
    if (other !== undefined)
      throw new ClientFailure(
        `the service lists \`${other}\`, which is not in \`${remoteText(path)}\`; tell whoever runs it`,
      );
    yield page;
  }
}

/** Folders and objects together, sorted by the bytes of their keys. */
export function entriesOf({ objects, prefixes }: ListPage): ListedEntry[] {
  const entries: ListedEntry[] = [
    ...prefixes.map((key) => ({ type: 'prefix' as const, key })),
    ...objects.map((object) => ({ type: 'object' as const, ...object })),
  ];
  return entries.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}

/** Every object beneath a prefix. */
export async function* listObjects(connection: Connection, path: KeyPath): AsyncGenerator<ListedObject, void, void> {
  for await (const { objects } of listPages(connection, path)) yield* objects;
}

/** An object as it is in a listing; undefined when it does not exist or may not be listed. */
export async function remoteObject(connection: Connection, object: KeyPath): Promise<ListedObject | undefined> {
  for await (const { objects } of listPages(connection, object)) {
    const [first] = objects;
    // A key comes before all longer keys that begin with it.
    if (first !== undefined) return first.key === object.key ? first : undefined;
  }
  return undefined;
}

/** Whether any object that the caller may list is in a folder of this name. */
export async function isFolderThere(connection: Connection, object: KeyPath): Promise<boolean> {
  for await (const { objects } of listPages(connection, asFolder(object))) if (objects.length > 0) return true;
  return false;
}

/** Whether an object exists; undefined when the caller may neither read nor list it. */
export async function isThere(connection: Connection, object: KeyPath): Promise<boolean | undefined> {
  const { provider, bucket, key } = object;
  const answer = await connection.call('permission/list', { provider, bucket, key });
  const may = 'actions' in answer ? answer.actions : [];
  if (may.includes('objects:get')) {
    try {
      await connection.call('object/head', { provider, bucket, key });
      return true;
    } catch (error) {
      if (codeOf(error) === 'not_found') return false;
      throw error;
    }
  }
  return may.includes('objects:list') ? (await remoteObject(connection, object)) !== undefined : undefined;
}

/** Whether there is a bucket that the person may do something to; undefined if the service does not say. */
export function isBucketThere(connection: Connection, provider: string, bucket: string): Promise<boolean | undefined> {
  return connection.call('bucket/get', { provider, bucket }).then(
    () => true,
    (error: unknown) => (codeOf(error) === 'not_found' ? false : undefined),
  );
}
