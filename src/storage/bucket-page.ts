import { ListObjectsV2Command, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { behindPrefix, compareKeys } from '../policy/key-order.ts';
import { SvcError } from '../errors/svc-error.ts';
import { FEW_KEYS, LONG_PAGE } from './answers.ts';
import { ask } from './ask.ts';
import type { StorageProvider } from './provider.ts';
import { isFault } from './storage-error.ts';

export type ListedObject = { readonly key: string; readonly size: number; readonly etag: string; readonly lastModified: string };

/** A key, or a common prefix, as storage lists it. `name` is the key or the prefix. */
export type ListedEntry = { readonly kind: 'object'; readonly name: string; readonly object: ListedObject } | { readonly kind: 'prefix'; readonly name: string };

/** The position behind an entry, exclusive. Behind a common prefix all keys of the prefix are passed. */
export function endOf(entry: ListedEntry): string {
  return entry.kind === 'object' ? entry.name : behindPrefix(entry.name);
}

export type FetchedPage = {
  /** In the byte order of their UTF-8. */
  readonly entries: ListedEntry[];
  readonly truncated: boolean;
  /** The position up to which storage was read; empty when the page is empty. */
  readonly readTo: string;
};

export type PageRequest = {
  readonly bucket: string;
  readonly prefix: string;
  /** Exclusive; empty to begin. */
  readonly after: string;
  readonly delimiter?: string | undefined;
  readonly maxKeys: number;
  readonly signal?: AbortSignal | undefined;
};

/** How many keys storage returns at once. */
export const MAX_PAGE_KEYS = 1000;
/** Some storage answers with empty pages while it skips over deleted keys. */
const MAX_EMPTY_PAGES = 20;

/** Reads one page of a bucket. Policy has not been asked about its entries yet. */
export async function fetchPage(provider: StorageProvider, request: PageRequest): Promise<FetchedPage> {
  let token: string | undefined;
  for (let tries = 0; tries < MAX_EMPTY_PAGES; tries++) {
    const output = await callStorage(provider, request, token);
    const page = pageOf(output, request);
    if (!page.truncated || compareKeys(page.readTo, request.after) > 0) return page;
    token = output.NextContinuationToken;
    if (token === undefined) break;
  }
  throw new SvcError('storage_timeout', { detail: `storage provider \`${provider.name}\` makes no headway in this listing; try again later` });
}

/** Asks for a page. When its keys are so long that the page is too large, it asks again for fewer keys. */
async function callStorage(provider: StorageProvider, request: PageRequest, token: string | undefined): Promise<ListObjectsV2CommandOutput> {
  try {
    return await askForPage(provider, request, token);
  } catch (error) {
    if (!isFault((error as { cause?: unknown } | null)?.cause, LONG_PAGE)) throw error;
    return askForPage(provider, { ...request, maxKeys: FEW_KEYS }, token);
  }
}

function askForPage(provider: StorageProvider, request: PageRequest, token: string | undefined): Promise<ListObjectsV2CommandOutput> {
  const { bucket, prefix, after, delimiter, maxKeys, signal } = request;
  return ask(provider, { signal }, (options) =>
    provider.client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        MaxKeys: maxKeys,
        // Without it a key that holds a control character makes the answer unreadable.
        EncodingType: 'url',
        ...(prefix !== '' && { Prefix: prefix }),
        ...(delimiter && { Delimiter: delimiter }),
        ...(token !== undefined ? { ContinuationToken: token } : after !== '' && { StartAfter: after }),
      }),
      options,
    ),
  );
}

function pageOf(output: ListObjectsV2CommandOutput, { prefix }: PageRequest): FetchedPage {
  // Storage that does not know `EncodingType` leaves it out of its answer, and sends names without encoding.
  const decode = output.EncodingType === 'url' ? decodeName : (name: string) => name;
  const entries: ListedEntry[] = [];
  for (const { Key, Size, ETag, LastModified } of output.Contents ?? []) {
    const key = Key === undefined ? undefined : decode(Key);
    if (!key?.startsWith(prefix)) continue;
    entries.push({ kind: 'object', name: key, object: { key, size: Size ?? 0, etag: ETag ?? '', lastModified: (LastModified ?? new Date(0)).toISOString() } });
  }
  for (const { Prefix } of output.CommonPrefixes ?? []) {
    const name = Prefix === undefined ? undefined : decode(Prefix);
    if (name !== undefined && name !== prefix && name.startsWith(prefix)) entries.push({ kind: 'prefix', name });
  }
  entries.sort((a, b) => compareKeys(a.name, b.name));
  const last = entries.at(-1);
  return {
    entries,
    truncated: output.IsTruncated ?? false,
    readTo: last === undefined ? '' : endOf(last),
  };
}

/** Decodes a name. @returns undefined when its bytes are not UTF-8: no request can name such a key, and policy cannot decide about it. */
function decodeName(name: string): string | undefined {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
