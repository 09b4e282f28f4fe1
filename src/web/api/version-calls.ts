import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { paths } from '../../../openapi/openapi.d.ts';
import { unlessGone } from './api-error.ts';
import { answered, service } from './client.ts';
import type { BucketRef, ObjectRef } from './object-calls.ts';

const BUCKET = '/api/providers/{provider}/buckets/{bucket}';
const LIMIT = 100;

/** The query for what a bucket keeps of objects that are overwritten or deleted. */
export function bucketInfoQuery({ provider, bucket }: BucketRef) {
  return queryOptions({
    queryKey: ['bucket info', provider, bucket],
    queryFn: ({ signal }) =>
      answered(service.GET(`${BUCKET}/info`, { params: { path: { provider, bucket } }, signal })),
    staleTime: 60_000,
    retry: false,
  });
}

/** The query for the versions of an object, the newest first. */
export function versionsQuery({ provider, bucket, key }: ObjectRef) {
  return infiniteQueryOptions({
    queryKey: ['versions', provider, bucket, key],
    queryFn: ({ pageParam, signal }) => versionsPage({ provider, bucket }, { key, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next,
    retry: false,
  });
}

/** As many as the service lists at once. */
export const VERSIONS_AT_ONCE = 1_000;

/** The query for the versions in a folder, 1,000 at a time. It is refreshed with the listing of the bucket. */
export function folderVersionsQuery({ provider, bucket }: BucketRef, prefix: string) {
  return infiniteQueryOptions({
    queryKey: ['listing', provider, bucket, prefix, 'versions'],
    queryFn: ({ pageParam, signal }) =>
      versionsPage(
        { provider, bucket },
        { prefix, delimiter: '/', limit: VERSIONS_AT_ONCE, cursor: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next,
    structuralSharing: false,
    retry: false,
  });
}

/** The newest versions of an object, the newest first. Without versions the list is empty. */
export async function newestVersions({ key, ...bucket }: ObjectRef, signal: AbortSignal): Promise<readonly Version[]> {
  return (await versionsPage(bucket, { key }, signal)).versions;
}

type Question = { readonly cursor?: string | undefined } & (
  { readonly key: string } | { readonly prefix: string; readonly delimiter?: '/'; readonly limit: number }
);

/** Reads one page of a listing of versions. */
export function versionsPage({ provider, bucket }: BucketRef, question: Question, signal: AbortSignal) {
  const { cursor, ...rest } = question;
  const query = { limit: LIMIT, ...rest, ...(cursor !== undefined && { cursor }) };
  return answered(service.GET(`${BUCKET}/versions`, { params: { path: { provider, bucket }, query }, signal }));
}

export type BucketInfo = paths[`${typeof BUCKET}/info`]['get']['responses'][200]['content']['application/json'];

/** Whether the bucket keeps deleted objects that can be listed. */
export function keepsDeleted(info: BucketInfo | undefined): boolean {
  return info !== undefined && ['enabled', 'suspended'].includes(info.versioning) && info.can_list_versions;
}

/** A page of versions on the wire. */
export type VersionsPage = paths[`${typeof BUCKET}/versions`]['get']['responses'][200]['content']['application/json'];

/** A version on the wire. */
export type Version = VersionsPage['versions'][number];

/**
 * Copies a version on top of the others, also when the object was deleted. No version is deleted.
 *
 * @param onlyIfMissing - refuses when the object exists. @throws {ApiError} `precondition_failed` then.
 */
export async function restoreVersion(
  { provider, bucket, key }: ObjectRef,
  version: string,
  { onlyIfMissing = false, signal }: { readonly onlyIfMissing?: boolean; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const header = onlyIfMissing ? ({ 'If-None-Match': '*' } as const) : {};
  await answered(
    service.POST(`${BUCKET}/object/restore`, {
      params: { path: { provider, bucket }, header },
      body: { key, version },
      signal: signal ?? null,
    }),
  );
}

/** How long an object can be read when it was brought back from an archive. */
export const UNARCHIVED_DAYS = 7;

/** Asks storage to bring an archived object back. */
export async function unarchive({ provider, bucket, key }: ObjectRef): Promise<void> {
  await answered(
    service.POST(`${BUCKET}/object/unarchive`, {
      params: { path: { provider, bucket } },
      body: { key, days: UNARCHIVED_DAYS },
    }),
  );
}

/** Deletes one version for ever, or finds that it is gone. @throws {ApiError} `precondition_failed`: other content has this version since it was listed. */
export async function purgeVersion(
  { provider, bucket, key }: ObjectRef,
  { version, last_modified: listed }: Version,
): Promise<void> {
  await unlessGone(
    answered(
      service.POST(`${BUCKET}/object/purge`, {
        params: { path: { provider, bucket } },
        body: { key, version, if_unmodified_since: listed },
      }),
    ),
  );
}
