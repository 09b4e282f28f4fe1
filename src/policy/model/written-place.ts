import { resourceKindOf, type AtomicAction } from './action.ts';
import { isBucketName, isProviderName, prefixFault } from './name.ts';
import type { Resource } from './resource.ts';

/** A place as people write it. `key` is empty when none is written. */
export type WrittenPlace = { readonly provider: string; readonly bucket: string | undefined; readonly key: string };

/** What is wrong with the text, for the person who wrote it. */
export type PlaceFault = { readonly fault: string };

/**
 * Reads `PROVIDER`, `PROVIDER/BUCKET` or `PROVIDER/BUCKET/KEY`. The key is everything after the second slash, byte for byte.
 *
 * @example
 * readPlace('main/photos/2026/a.jpg') // { provider: 'main', bucket: 'photos', key: '2026/a.jpg' }
 * readPlace('main') // { provider: 'main', bucket: undefined, key: '' }
 */
export function readPlace(text: string): WrittenPlace | PlaceFault {
  const [, provider = '', bucket, key = ''] = /^([^/]*)(?:\/([^/]*)(?:\/(.*))?)?$/s.exec(text) ?? [];
  if (provider === '')
    return {
      fault: text.startsWith('/')
        ? `\`${text}\` begins with a slash; write \`PROVIDER/BUCKET/KEY\` without one`
        : 'the path is empty; write `PROVIDER/BUCKET/KEY`',
    };
  if (!isProviderName(provider))
    return { fault: `\`${text}\`: \`${provider}\` cannot be a provider; write \`PROVIDER/BUCKET/KEY\`` };
  if (bucket === undefined || bucket === '') {
    if (key !== '') return { fault: `\`${text}\`: the bucket is missing; write \`PROVIDER/BUCKET/KEY\`` };
    return { provider, bucket: undefined, key: '' };
  }
  if (!isBucketName(bucket))
    return {
      fault: `\`${text}\`: \`${bucket}\` cannot be a bucket; names have 3 to 63 lower-case letters, digits, dots and hyphens`,
    };
  // The service decides whether the provider accepts `.` and `..`.
  if (prefixFault(key, 'keep') !== undefined) return { fault: `\`${text}\`: a key has at most 1024 bytes of UTF-8` };
  return { provider, bucket, key };
}

/** Reads the resource of the kind on which the action is asked. */
export function resourceAt(action: AtomicAction, text: string): Resource | PlaceFault {
  const place = readPlace(text);
  if ('fault' in place) return place;
  const { provider, bucket, key } = place;
  const kind = resourceKindOf(action);
  if (kind === 'provider' && bucket === undefined) return { kind, provider };
  if (kind === 'bucket' && bucket !== undefined && key === '') return { kind, provider, bucket };
  if (kind === 'object' && bucket !== undefined && key !== '') return { kind, provider, bucket, key };
  const form = { provider: 'PROVIDER', bucket: 'PROVIDER/BUCKET', object: 'PROVIDER/BUCKET/KEY' }[kind];
  return {
    fault: `\`${action}\` applies to ${kind === 'object' ? 'an' : 'a'} ${kind}: write \`${form}\` in place of \`${text}\``,
  };
}
