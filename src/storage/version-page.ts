import { codeOf, SvcError } from '../errors/svc-error.ts';
import { afterPrefix, compareKeys } from '../policy/index/key-order.ts';
import { Plain, PLAIN_KEY } from '../bounds/plain.ts';
import type { Columns, RowForm } from '../xml/alike.ts';
import type { XmlAnswer } from '../xml/xml.ts';
import { entriesIn, PLAIN_PATTERNS, timeOf, wholeNumberOf } from './bucket-page.ts';
import type { LongQuestion, PrefixRef } from './provider.ts';
import { isFault } from './storage-error.ts';

/** `etag` and `storageClass` are null for a delete marker: it has no content, and its `size` is 0. `lastModified` is in RFC 3339. */
export type ListedVersion = {
  readonly key: string;
  /** `null`, as a text, for an object that was written while the bucket kept no versions. */
  readonly version: string;
  readonly isLatest: boolean;
  readonly isDeleteMarker: boolean;
  readonly size: number;
  readonly etag: string | null;
  readonly lastModified: string;
  readonly storageClass: string | null;
};

class PlainVersion extends Plain<Omit<ListedVersion, 'key'>> implements ListedVersion {
  get version(): string {
    return this.others.version;
  }
  get isLatest(): boolean {
    return this.others.isLatest;
  }
  get isDeleteMarker(): boolean {
    return this.others.isDeleteMarker;
  }
  get size(): number {
    return this.others.size;
  }
  get etag(): string | null {
    return this.others.etag;
  }
  get lastModified(): string {
    return this.others.lastModified;
  }
  get storageClass(): string | null {
    return this.others.storageClass;
  }
  protected read(): Omit<ListedVersion, 'key'> {
    const { version, is_latest, is_delete_marker, size, etag, last_modified, storage_class } = JSON.parse(
      this.json,
    ) as PlainJson;
    return {
      version,
      isLatest: is_latest,
      isDeleteMarker: is_delete_marker,
      size,
      etag,
      lastModified: last_modified,
      storageClass: storage_class,
    };
  }
}
type PlainJson = {
  readonly version: string;
  readonly is_latest: boolean;
  readonly is_delete_marker: boolean;
  readonly size: number;
  readonly etag: string | null;
  readonly last_modified: string;
  readonly storage_class: string | null;
};

/** A version, or a common prefix, which has no `version`. `name` is its key or the prefix. */
export type VersionEntry = { readonly name: string; readonly version?: ListedVersion };

/** A position, exclusive: after one version of a key; without `version`, after all versions of the key. An empty key is the start. */
export type VersionPosition = { readonly key: string; readonly version?: string | undefined };

export type VersionPage = {
  /** In the byte order of their keys; the versions of a key as storage lists them, the newest first. */
  readonly entries: VersionEntry[];
  readonly truncated: boolean;
};

const OF_BOTH = ['Key', 'VersionId', 'IsLatest', 'LastModified'];
const COLUMNS: Columns = new Map<string, RowForm>([
  [
    'Version',
    {
      columns: [...OF_BOTH, 'Size', 'ETag', 'StorageClass'],
      line: {
        patterns: PLAIN_PATTERNS,
        optional: 'StorageClass',
        write: ({ Key, VersionId, IsLatest, LastModified, Size, ETag, StorageClass }) =>
          `${PLAIN_KEY}${Key}","version":"${VersionId}","is_latest":${IsLatest},"is_delete_marker":false,"size":${Size},"etag":"\\"${ETag}\\"","last_modified":"${LastModified}","storage_class":${StorageClass === undefined ? 'null' : `"${StorageClass}"`}}`,
      },
    },
  ],
  [
    'DeleteMarker',
    {
      columns: OF_BOTH,
      line: {
        patterns: PLAIN_PATTERNS,
        write: ({ Key, VersionId, IsLatest, LastModified }) =>
          `${PLAIN_KEY}${Key}","version":"${VersionId}","is_latest":${IsLatest},"is_delete_marker":true,"size":0,"etag":null,"last_modified":"${LastModified}","storage_class":null}`,
      },
    },
  ],
  ['CommonPrefixes', { columns: ['Prefix'] }],
]);
/** Some storage begins the page after a key with the versions of that key. So many pages may hold nothing else. */
const MAX_PAGES_OF_A_KEY = 20;

/** More pages of versions than any key has. Storage that repeats the versions of a key would be asked forever. */
export const MAX_PAGES_WITHIN_KEY = 1_000;

/** The position after an entry. After a common prefix, it is past all keys of the prefix. */
export function positionAfter({ name, version }: VersionEntry): VersionPosition {
  return version === undefined ? { key: afterPrefix(name) } : { key: name, version: version.version };
}

/**
 * Reads one page of the versions in a bucket. Its entries have not been checked against policy.
 *
 * @throws {SvcError} `not_supported`: storage has no versions.
 */
export async function fetchVersions(
  { provider, bucket, prefix }: PrefixRef,
  {
    after,
    delimiter,
    maxKeys,
    signal,
    hold,
  }: LongQuestion & {
    readonly after: VersionPosition;
    readonly delimiter?: string | undefined;
    readonly maxKeys: number;
  },
): Promise<VersionPage> {
  let marker = after;
  for (let tries = 0; tries < MAX_PAGES_OF_A_KEY; tries++) {
    const query = {
      versions: '',
      'max-keys': String(maxKeys),
      'encoding-type': 'url',
      prefix: prefix || undefined,
      delimiter: delimiter || undefined,
      'key-marker': marker.key || undefined,
      // Without its key, storage refuses the marker.
      'version-id-marker': marker.key === '' ? undefined : marker.version,
    };
    const answer = await provider.s3
      .ask({ method: 'GET', bucket, query }, 'ListVersionsResult', { signal, hold, columns: COLUMNS })
      .catch((error: unknown) => {
        if (!isFault(error, 'MethodNotAllowed', 405) && codeOf(error) !== 'not_supported') throw error;
        throw new SvcError('not_supported', {
          detail: `storage provider \`${provider.name}\` keeps no versions: what is overwritten or deleted there is gone`,
          cause: error,
        });
      });
    const entries = entriesOf(answer, prefix);
    const further = entries.slice(entries.findLastIndex((entry) => !isAfter(entry, after)) + 1);
    const truncated = answer.fields['IsTruncated'] === 'true';
    if (further.length > 0 || !truncated) return { entries: further, truncated };
    const last = entries.at(-1);
    // The markers that storage names are no help: Ceph does not encode them.
    const next = last && positionAfter(last);
    if (next === undefined || (next.key === marker.key && next.version === marker.version)) break;
    marker = next;
  }
  throw noHeadway(provider);
}

/** The error for storage whose pages of versions would not end. */
export function noHeadway({ name }: PrefixRef['provider']): SvcError {
  return new SvcError('storage_timeout', {
    detail: `storage provider \`${name}\` makes no headway in the versions of this bucket; try again later`,
  });
}

/** Whether an entry is behind a position. Within a key, only the entry at the position itself is known not to be. */
function isAfter({ name, version }: VersionEntry, { key, version: at }: VersionPosition): boolean {
  const order = compareKeys(name, key);
  return order > 0 || (order === 0 && at !== undefined && version?.version !== at);
}

function entriesOf(answer: XmlAnswer, prefix: string): VersionEntry[] {
  return entriesIn<VersionEntry>(
    answer,
    prefix,
    (line) => {
      const version = new PlainVersion(line);
      return { name: version.key, version };
    },
    (key, { name, texts, at }) => {
      const isDeleteMarker = name === 'DeleteMarker';
      const version = {
        key,
        version: texts[at[1]!] || 'null',
        isLatest: texts[at[2]!] === 'true',
        isDeleteMarker,
        size: isDeleteMarker ? 0 : wholeNumberOf(texts[at[4]!]),
        etag: isDeleteMarker ? null : (texts[at[5]!] ?? null),
        lastModified: timeOf(texts[at[3]!]) ?? new Date(0).toISOString(),
        storageClass: isDeleteMarker ? null : (texts[at[6]!] ?? null),
      };
      return { name: key, version };
    },
  );
}
