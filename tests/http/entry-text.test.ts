import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonBytes } from '../../src/bounds/json-bytes.ts';
import { Plain } from '../../src/bounds/plain.ts';
import { objectText, versionText } from '../../src/http/routing/entry-text.ts';
import { snakeNames } from '../../src/http/routing/member-names.ts';
import { compileGrants } from '../../src/policy/index/grants.ts';
import type { Permitted } from '../../src/policy/model/permitted.ts';
import { bucketRoutes } from '../../src/s3/routes/buckets.ts';
import type { Asked } from '../../src/s3/route.ts';
import { listObjects } from '../../src/storage/listing.ts';
import type { PrefixRef } from '../../src/storage/provider.ts';
import { listVersions } from '../../src/storage/version-listing.ts';
import { shapes } from '../../src/wire/operations.ts';
import { xmlText } from '../../src/xml/text.ts';
import { ToldStorage } from '../storage/told-storage.ts';

const storage = ToldStorage.forTests();
const grants = compileGrants([
  {
    name: 'all',
    source: 'config',
    rules: [{ effect: 'allow', actions: ['objects:list', 'objects:versions'], resources: [{ type: 'all' }] }],
  },
]);
const AWKWARD = [
  '"',
  '\\',
  '&lt;',
  '&',
  '<a>',
  '\r\n',
  '\0\x1f',
  '\x7f',
  ' ',
  '+',
  '%25',
  'é',
  '\u2028',
  '\ud7ff',
  '\uffff',
  '😀',
  '\u{10ffff}',
  "'",
  '/',
];
const plainly = fc.constantFrom('file.txt', 'a-b_c', 'folder/b', "it's (1) $1");
const text = fc.oneof(
  plainly,
  plainly,
  plainly,
  fc.array(fc.constantFrom(...AWKWARD), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('')),
);
const etag = fc.oneof(fc.constantFrom('"0123abcd"', '"0123abcd-2"', 'bare', ''), text);
const entryWith = (key: fc.Arbitrary<string>, tag: fc.Arbitrary<string>, isOdd = true) =>
  fc.record({
    key,
    etag: tag,
    size: fc.constantFrom('0', '1024', ...(isOdd ? ['9007199254740991', '007', 'x'] : [])),
    time: fc.constantFrom('2025-01-01T00:00:00.000Z', ...(isOdd ? ['2025-01-01T00:00:00Z', 'never"'] : [])),
    quote: fc.constantFrom('&quot;', '&#34;'),
    isDeleted: fc.boolean(),
    version: fc.oneof(fc.constantFrom('v1', 'null'), key),
  });
const page = fc.record({
  entries: fc.oneof(
    fc.array(entryWith(text, etag), { maxLength: 40 }),
    // Most pages are so, and some of them have an entry that is not.
    fc.array(entryWith(plainly, fc.constant('"0123abcd"'), false), { minLength: 4, maxLength: 40 }),
    fc
      .tuple(
        fc.array(entryWith(plainly, fc.constant('"0123abcd"'), false), { minLength: 2, maxLength: 20 }),
        entryWith(text, etag),
        fc.array(entryWith(plainly, fc.constant('"0123abcd"'), false), { maxLength: 20 }),
      )
      .map(([before, one, after]) => [...before, one, ...after]),
    fc.array(entryWith(text, fc.constant('"0123abcd"')), { maxLength: 40 }),
    fc.array(entryWith(fc.constantFrom('"a"', '"b"', '""'), etag), { maxLength: 40 }),
  ),
  isEncoded: fc.boolean(),
});
type Page = typeof page extends fc.Arbitrary<infer P> ? P : never;

// A text of XML has no characters that are none, so keys with them come encoded.
const written = (value: string, quote: string) =>
  xmlText(value.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\uffff]/g, '')).replaceAll('&#34;', quote);
const keyIn = ({ isEncoded }: Page, key: string, quote: string) =>
  isEncoded ? encodeURIComponent(key) : written(key, quote);
const ending = ({ isEncoded }: Page) =>
  `<IsTruncated>false</IsTruncated>${isEncoded ? '<EncodingType>url</EncodingType>' : ''}`;

/** An entry as RPC sends it. */
const membersOf = <T>(entry: T) => JSON.parse(JSON.stringify(entry)) as T;

const beneath = (prefix: string) =>
  ({ provider: storage.provider, bucket: 'bucket', prefix }) as unknown as Permitted<PrefixRef>;
let place: Permitted<PrefixRef>;
beforeEach(() => {
  place = beneath('');
});

describe('the text of a listing', () => {
  it('is what JSON.stringify and the elements of S3 make of its objects, whatever their names are', async () => {
    let plain = 0;
    const rename = snakeNames(shapes['object/list'].output);
    const asIs = snakeNames(shapes['object/list'].output, ['objects']);
    const route = bucketRoutes.find(({ name }) => name === 'ListObjectsV2')!;
    const asked = (query: object) =>
      ({
        request: { query: new Map(Object.entries({ 'list-type': '2', 'fetch-owner': 'true', ...query })) },
        place: { provider: 'test', bucket: 'bucket', key: '' },
        caller: { identity: { issuer: 'i', subject: 's', groups: [] }, name: 'A & $1' },
      }) as unknown as Asked;
    await fc.assert(
      fc.asyncProperty(page, async (given) => {
        storage.answer = () => ({
          body: `<ListBucketResult>${given.entries
            .map(
              ({ key, etag: tag, size, time, quote }) =>
                `<Contents><Key>${keyIn(given, key, quote)}</Key><LastModified>${written(time, quote)}</LastModified><ETag>${written(tag, quote)}</ETag><Size>${size}</Size></Contents>`,
            )
            .join('')}${ending(given)}</ListBucketResult>`,
        });
        const output = await listObjects(place, { grants, limit: 1_000 });
        const copied = { ...output, objects: output.objects.map((object) => membersOf(object)) };
        plain += output.objects.filter((object) => object instanceof Plain).length;
        const sent = asIs({ ...output, objects: [...output.objects] }) as object;
        expect((await jsonBytes(sent, { objects: objectText })).toString()).toBe(JSON.stringify(rename(copied)));
        for (const query of [{}, { 'encoding-type': 'url' }]) {
          const textOf = (of: object) => (route.answer(of as never, asked(query)).xml as readonly string[]).join('');
          const fast = textOf(output);
          expect(fast).toBe(textOf(copied));
          const { key, etag: tag } = output.objects[0] ?? { key: 'x', etag: '' };
          if (output.objects.length > 0 && !('encoding-type' in query))
            expect(fast).toContain(`<Contents><Key>${xmlText(key)}</Key>`);
          if (output.objects.length > 0) expect(fast).toContain(`<ETag>${xmlText(tag)}</ETag>`);
        }
      }),
      { numRuns: 300 },
    );
    expect(plain).toBeGreaterThan(30);
  });

  it('is what JSON.stringify makes of its versions and deletions', async () => {
    let plain = 0;
    const rename = snakeNames(shapes['object/listVersions'].output);
    const asIs = snakeNames(shapes['object/listVersions'].output, ['versions']);
    await fc.assert(
      fc.asyncProperty(page, async (given) => {
        storage.answer = () => ({
          body: `<ListVersionsResult>${given.entries
            .map(({ key, etag: tag, size, time, quote, isDeleted, version }) => {
              const both = `<Key>${keyIn(given, key, quote)}</Key><VersionId>${written(version, quote)}</VersionId><IsLatest>true</IsLatest><LastModified>${written(time, quote)}</LastModified>`;
              return isDeleted
                ? `<DeleteMarker>${both}</DeleteMarker>`
                : `<Version>${both}<ETag>${written(tag, quote)}</ETag><Size>${size}</Size>${size === '0' ? '' : '<StorageClass>STANDARD</StorageClass>'}</Version>`;
            })
            .join('')}${ending(given)}</ListVersionsResult>`,
        });
        const output = await listVersions(place, { grants, limit: 1_000 });
        const copied = { ...output, versions: output.versions.map((version) => membersOf(version)) };
        plain += output.versions.filter((version) => version instanceof Plain).length;
        const sent = asIs({ ...output, versions: [...output.versions] }) as object;
        expect((await jsonBytes(sent, { versions: versionText })).toString()).toBe(JSON.stringify(rename(copied)));
      }),
      { numRuns: 300 },
    );
    expect(plain).toBeGreaterThan(30);
  });

  it('is of no key outside the prefix, and of none that no request can have', async () => {
    const keys = Array.from({ length: 40 }, (_, i) => `folder/${String(i).padStart(2, '0')}`);
    const others = ['folde/r', 'folderx', `folder/${'x'.repeat(1_018)}`, 'z'];
    const entryOf = (key: string) =>
      `<Key>${key}</Key><VersionId>1</VersionId><IsLatest>true</IsLatest><LastModified>2025-01-01T00:00:00.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>1</Size>`;
    const listed = [...keys.slice(0, 20), ...others, ...keys.slice(20)].map(entryOf);
    storage.answer = ({ query }) => {
      const [list, entry] = query.has('versions')
        ? ['ListVersionsResult', 'Version']
        : ['ListBucketResult', 'Contents'];
      return { body: `<${list}>${listed.map((each) => `<${entry}>${each}</${entry}>`).join('')}</${list}>` };
    };
    const { objects } = await listObjects(beneath('folder/'), { grants, limit: 1_000 });
    const { versions } = await listVersions(beneath('folder/'), { grants, limit: 1_000 });
    for (const list of [objects, versions]) {
      expect(list.map(({ key }) => key)).toEqual(keys);
      expect(list.filter((entry) => entry instanceof Plain).length).toBeGreaterThan(35);
    }
  });

  it('keeps half of a surrogate pair as JSON.stringify does', () => {
    const object = { key: 'a\ud800', size: 1, etag: '"\udfff"', lastModified: '2025-01-01T00:00:00.000Z' };
    expect(objectText(object)).toBe(
      '{"key":"a\\ud800","size":1,"etag":"\\"\\udfff\\"","last_modified":"2025-01-01T00:00:00.000Z"}',
    );
  });
});
