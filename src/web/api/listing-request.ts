import { servicePath } from '../base.ts';
import { decoded } from '../place/place.ts';
import { sendAhead } from './ahead.ts';

/** Keys of one listing request: the most that the service gives. */
export const PAGE_SIZE = 1000;

/** Asks for the first page of the folder at an address of the page, if that is one, as the listing will. */
export function sendListingAhead({ pathname, search, origin }: Location): void {
  const [provider, bucket] = /\/p\/([^/]+)\/([^/]+)$/.exec(pathname)?.slice(1).map(decoded) ?? [];
  if (provider === undefined || bucket === undefined) return;
  const prefix = encodeURIComponent(new URLSearchParams(search).get('prefix') ?? '');
  const url = `${origin}${servicePath(`api/providers/${encodeURIComponent(provider)}/buckets/${encodeURIComponent(bucket)}/objects`)}?prefix=${prefix}&delimiter=%2F&limit=${PAGE_SIZE}`;
  sendAhead(url, fetch(url, { credentials: 'same-origin', redirect: 'error', headers: { accept: 'application/json' } }));
}
