import { basePath, servicePath } from '../base.ts';
import { decoded } from '../place/place.ts';
import { prefetchJson } from './prefetch.ts';

/** The number of keys per listing request, which is the maximum of the service. */
export const PAGE_SIZE = 1000;

/** Sends the request for the first page of a folder ahead, if the location is that of a folder. The URL has to equal the later request of the listing. */
export function prefetchListing({ pathname, search, origin }: Location): void {
  const route = pathname.slice(basePath.length);
  const [provider, bucket] = /^p\/([^/]+)\/([^/]+)$/.exec(route)?.slice(1).map(decoded) ?? [];
  if (provider === undefined || bucket === undefined) return;
  const prefix = encodeURIComponent(new URLSearchParams(search).get('prefix') ?? '');
  const url = `${origin}${servicePath(`api/providers/${encodeURIComponent(provider)}/buckets/${encodeURIComponent(bucket)}/objects`)}?prefix=${prefix}&delimiter=%2F&limit=${PAGE_SIZE}`;
  prefetchJson(url);
}
