import { Plain, PLAIN_KEY } from '../bounds/plain.ts';
import { takeAll } from '../bounds/take-all.ts';
import { afterPrefix, compareKeys } from '../policy/index/key-order.ts';
import { SvcError } from '../errors/svc-error.ts';
import { isKeyText } from '../policy/model/name.ts';
import type { LongQuestion, PrefixRef } from './provider.ts';
import type { Columns, RowForm, Texts } from '../xml/alike.ts';
import type { XmlAnswer } from '../xml/xml.ts';

export type ListedObject = {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly lastModified: string;
};

class PlainObject extends Plain<Omit<ListedObject, 'key'>> implements ListedObject {
  get size(): number {
    return this.others.size;
  }
  get etag(): string {
    return this.others.etag;
  }
  get lastModified(): string {
    return this.others.lastModified;
  }
  protected read(): Omit<ListedObject, 'key'> {
    const [, size, etag, lastModified] = MEMBERS.exec(this.json)!;
    return { size: Number(size), etag: `"${etag}"`, lastModified: lastModified! };
  }
}

/** The members of a plain object. `JSON.parse` takes more than twice the time. */
const MEMBERS = /"size":(\d+),"etag":"\\"([^\\]*)\\"","last_modified":"([^"]*)"/;

/** A key from a listing, or a common prefix, which has no `object`. `name` is the key or the prefix. */
export type ListedEntry = { readonly name: string; readonly object?: ListedObject };

/** The position after an entry, exclusive. After a common prefix, it is past all keys of the prefix. */
export function endOf({ name, object }: ListedEntry): string {
  return object === undefined ? afterPrefix(name) : name;
}

export type FetchedPage = {
  /** In the byte order of their UTF-8 form. */
  readonly entries: ListedEntry[];
  readonly truncated: boolean;
  /** The position up to which storage was read; empty when the page is empty. */
  readonly readTo: string;
};

export type PageRequest = LongQuestion & {
  /** Exclusive; empty to begin with the first key. */
  readonly after: string;
  readonly delimiter?: string | undefined;
  readonly maxKeys: number;
};

/** The maximum number of keys that storage returns at once. */
export const MAX_PAGE_KEYS = 1000;
/** Some storage returns empty pages while it skips deleted keys. */
const MAX_EMPTY_PAGES = 20;
const IS_TIME = /\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z/;
const PLAIN_TEXT = "[ !#-%'-;=?-[\\]-~]";
/** The texts of a plain entry. Its key is the same with and without `encoding-type`. */
export const PLAIN_PATTERNS: ReadonlyMap<string, RegExp> = new Map([
  ['Key', /([ !#$'-*,-;=?-[\]-~]+)/],
  ['LastModified', new RegExp(`(${IS_TIME.source})`)],
  ['Size', /(0|[1-9]\d{0,14})/],
  ['ETag', new RegExp(`(?:&quot;|&#34;|")(${PLAIN_TEXT}*)(?:&quot;|&#34;|")`)],
  ['VersionId', new RegExp(`(${PLAIN_TEXT}+)`)],
  ['IsLatest', /(true|false)/],
  ['StorageClass', new RegExp(`(${PLAIN_TEXT}*)`)],
]);
const COLUMNS: Columns = new Map<string, RowForm>([
  [
    'Contents',
    {
      columns: ['Key', 'Size', 'ETag', 'LastModified'],
      line: {
        patterns: PLAIN_PATTERNS,
        write: ({ Key, Size, ETag, LastModified }) =>
          `${PLAIN_KEY}${Key}","size":${Size},"etag":"\\"${ETag}\\"","last_modified":"${LastModified}"}`,
      },
    },
  ],
  ['CommonPrefixes', { columns: ['Prefix'] }],
]);
const NO_TIME = new Date(0).toISOString();

/** Reads one page of a bucket. Its entries have not been checked against policy. */
export async function fetchPage({ provider, bucket, prefix }: PrefixRef, request: PageRequest): Promise<FetchedPage> {
  const { after, delimiter, maxKeys, signal, hold } = request;
  let position: { readonly 'start-after'?: string | undefined; readonly 'continuation-token'?: string } = {
    'start-after': after || undefined,
  };
  for (let tries = 0; tries < MAX_EMPTY_PAGES; tries++) {
    // Without `encoding-type`, a key with a control character makes the answer unreadable.
    const query = {
      'list-type': '2',
      'max-keys': String(maxKeys),
      'encoding-type': 'url',
      prefix: prefix || undefined,
      delimiter: delimiter || undefined,
      ...position,
    };
    const answer = await provider.s3.ask({ method: 'GET', bucket, query }, 'ListBucketResult', {
      signal,
      hold,
      columns: COLUMNS,
    });
    const page = pageOf(answer, prefix);
    if (!page.truncated || compareKeys(page.readTo, after) > 0) return page;
    const token = answer.fields['NextContinuationToken'];
    if (token === undefined) break;
    position = { 'continuation-token': token };
  }
  throw new SvcError('storage_timeout', {
    detail: `storage provider \`${provider.name}\` makes no headway in this listing; try again later`,
  });
}

/**
 * How names in an answer to a request with `encoding-type` are read. Storage that does not know it omits it from its answer and sends names without encoding.
 *
 * The function returns undefined for a name that no request can have, because it is too long or no UTF-8: policy cannot decide about it.
 */
export function nameDecoder({ fields }: Pick<XmlAnswer, 'fields'>): (name: string | undefined) => string | undefined {
  const decode = fields['EncodingType'] === 'url' ? decodeName : (name: string) => name;
  return (name) => {
    const decoded = name === undefined ? undefined : decode(name);
    return decoded !== undefined && isKeyText(decoded) ? decoded : undefined;
  };
}

function pageOf(answer: XmlAnswer, prefix: string): FetchedPage {
  const entries = entriesIn<ListedEntry>(
    answer,
    prefix,
    (line) => {
      const object = new PlainObject(line);
      return { name: object.key, object };
    },
    (name, { texts, at }) => {
      const [size, etag, time] = [texts[at[1]!], texts[at[2]!], texts[at[3]!]];
      const lastModified = timeOf(time) ?? NO_TIME;
      return { name, object: { key: name, size: wholeNumberOf(size), etag: etag ?? '', lastModified } };
    },
  );
  const last = entries.at(-1);
  return {
    entries,
    truncated: answer.fields['IsTruncated'] === 'true',
    readTo: last === undefined ? '' : endOf(last),
  };
}

/** Takes the entries of an answer beneath a prefix, in the byte order of their names. Each is made of a line, or of a name and texts; a common prefix is a name alone. */
export function entriesIn<E extends { readonly name: string }>(
  answer: XmlAnswer,
  prefix: string,
  ofLine: (line: string) => E,
  ofTexts: (name: string, row: Texts) => E,
): E[] {
  const decode = nameDecoder(answer);
  const entries: E[] = [];
  let before = '';
  let isInOrder = true;
  const add = (entry: E): void => {
    isInOrder &&= before <= entry.name;
    before = entry.name;
    entries.push(entry);
  };
  for (const row of takeAll(answer.rows)) {
    if (typeof row === 'string') {
      const entry = ofLine(row);
      if (entry.name.startsWith(prefix) && isKeyText(entry.name)) add(entry);
      continue;
    }
    const name = decode(row.texts[row.at[0]!]);
    if (name === undefined || !name.startsWith(prefix)) continue;
    isInOrder &&= !BEYOND_SURROGATES.test(name);
    if (row.name !== 'CommonPrefixes') add(ofTexts(name, row));
    else if (name !== prefix) add({ name } as E);
  }
  return isInOrder ? entries : entries.sort((a, b) => compareKeys(a.name, b.name));
}

/** Texts without them are in the order of their UTF-8 form. */
const BEYOND_SURROGATES = /[\ud800-\uffff]/;

/** A number of bytes, or of a part; 0 when storage gives none. */
export function wholeNumberOf(text = ''): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** Returns the time in RFC 3339 with milliseconds; undefined when storage gives none. */
export function timeOf(text = ''): string | undefined {
  if (isTime(text)) return text;
  const time = new Date(text);
  const written = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  // Years beyond 9999 have another form.
  return isTime(written) ? written : undefined;
}

function isTime(text: string): boolean {
  return text.length === NO_TIME.length && IS_TIME.test(text);
}

/** @returns undefined when its bytes are not UTF-8. */
function decodeName(name: string): string | undefined {
  if (!/[%+]/.test(name)) return name;
  try {
    return decodeURIComponent(name.includes('+') ? name.replaceAll('+', ' ') : name);
  } catch {
    return undefined;
  }
}
