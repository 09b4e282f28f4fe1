import { findBucket, listVisibleBuckets, makeBucket, removeBucket } from '../../operation/buckets.ts';
import { listVisibleObjects, removeObjects } from '../../operation/objects.ts';
import { MAX_KEY_BYTES } from '../../policy/model/name.ts';
import type { OperationOutput } from '../../wire/operations.ts';
import type { XmlAnswer } from '../../xml/xml.ts';
import { accessOf, ownerOf, refuseOtherAcl } from '../access-lists.ts';
import { contentsOf } from '../contents.ts';
import { s3Fault } from '../fault.ts';
import { route, type Asked, type S3Reply } from '../route.ts';
import { element, nameIn, root, rootInParts, text } from '../xml-answer.ts';

const MAX_KEYS = 1_000;
const EPOCH = '1970-01-01T00:00:00.000Z';

const bucketOf = ({ place: { provider, bucket } }: Asked) => ({ provider, bucket });

/** A call about a bucket that the service answers itself, for whoever may do anything in it. */
const aboutBucket = (name: string, selectedBy: readonly string[], answer: (asked: Asked) => S3Reply) =>
  route(name, 'GET bucket', {
    operation: findBucket,
    selectedBy,
    input: bucketOf,
    answer: (_output, asked) => answer(asked),
  });

export const bucketRoutes = [
  route('ListBuckets', 'GET service', {
    operation: listVisibleBuckets,
    input: ({ place: { provider } }) => ({ provider }),
    answer: ({ buckets }, { caller }) => ({
      xml: root(
        'ListAllMyBucketsResult',
        ownerOf(caller),
        element(
          'Buckets',
          ...buckets.map(({ name, createdAt }) =>
            element('Bucket', text('Name', name), text('CreationDate', createdAt ?? EPOCH)),
          ),
        ),
      ),
    }),
  }),
  route('HeadBucket', 'HEAD bucket', {
    operation: findBucket,
    input: bucketOf,
    answer: (_output, { region }) => ({ headers: { 'x-amz-bucket-region': region } }),
  }),
  aboutBucket('GetBucketLocation', ['location'], ({ region }) => ({
    xml: root('LocationConstraint').replace('></', `>${region}</`),
  })),
  aboutBucket('GetBucketVersioning', ['versioning'], () => ({ xml: root('VersioningConfiguration') })),
  aboutBucket('GetBucketAcl', ['acl'], ({ caller }) => ({ xml: accessOf(caller) })),
  route('CreateBucket', 'PUT bucket', {
    operation: makeBucket,
    body: 'xml',
    headers: ['x-amz-acl'],
    input: ({ request, xml, place: { provider, bucket } }) => {
      refuseOtherAcl(request);
      refuseOtherConfiguration(xml);
      return { provider, name: bucket };
    },
    answer: ({ name }) => ({ headers: { Location: `/${name}` } }),
  }),
  route('DeleteBucket', 'DELETE bucket', {
    operation: removeBucket,
    input: bucketOf,
    answer: () => ({ status: 204 }),
  }),
  route('ListObjectsV2', 'GET bucket', {
    operation: listVisibleObjects,
    selectedBy: ['list-type'],
    parameters: [
      'continuation-token',
      'delimiter',
      'encoding-type',
      'fetch-owner',
      'max-keys',
      'prefix',
      'start-after',
    ],
    headers: ['x-amz-optional-object-attributes'],
    input: (asked) => {
      const { query } = asked.request;
      if (query.get('list-type') !== '2') throw s3Fault('InvalidArgument', '`list-type` is 2');
      const cursor = query.get('continuation-token');
      if (cursor === '') throw s3Fault('InvalidArgument', 'the continuation token is empty');
      return { ...listingOf(asked), cursor, startAfter: query.get('start-after') || undefined };
    },
    answer: (page, asked) => {
      const { query } = asked.request;
      const name = nameIn(asked.request);
      const shown = shownOf(page, asked);
      return {
        xml: rootInParts('ListBucketResult', [
          ...shown.head,
          text('KeyCount', shown.count),
          text('ContinuationToken', query.get('continuation-token')),
          text('NextContinuationToken', shown.next ?? undefined),
          name('StartAfter', query.get('start-after')),
          ...shown.entries(query.get('fetch-owner') === 'true'),
        ]),
      };
    },
  }),
  route('ListObjects', 'GET bucket', {
    operation: listVisibleObjects,
    parameters: ['delimiter', 'encoding-type', 'marker', 'max-keys', 'prefix'],
    headers: ['x-amz-optional-object-attributes'],
    input: (asked) => {
      const marker = asked.request.query.get('marker') || undefined;
      const isToken = marker !== undefined && Buffer.byteLength(marker) > MAX_KEY_BYTES;
      return { ...listingOf(asked), ...(isToken ? { cursor: marker } : { startAfter: marker }) };
    },
    answer: (page, asked) => {
      const name = nameIn(asked.request);
      const shown = shownOf(page, asked);
      const last = [page.objects.at(-1)?.key ?? '', page.prefixes.at(-1) ?? ''].sort(byBytes).at(-1);
      // The position of a page that was cut short may be a key that the caller may not list. Its token is longer than any key.
      const isCutShort = shown.count < Math.min(maxKeysOf(asked), MAX_KEYS - 1);
      return {
        xml: rootInParts('ListBucketResult', [
          ...shown.head,
          name('Marker', asked.request.query.get('marker') ?? ''),
          name('NextMarker', shown.next === null ? undefined : isCutShort ? shown.next : last),
          ...shown.entries(true),
        ]),
      };
    },
  }),
  route('DeleteObjects', 'POST bucket', {
    operation: removeObjects,
    selectedBy: ['delete'],
    body: 'xml',
    input: (asked) => ({ ...bucketOf(asked), keys: keysToDelete(asked) }),
    answer: ({ deleted, failed }, { xml, place }) => ({
      xml: root(
        'DeleteResult',
        ...(xml?.fields['Quiet'] === 'true' ? [] : deleted.map((key) => element('Deleted', text('Key', key)))),
        ...failed.map(({ key, code }) => {
          const told = DELETE_FAULTS[code] ?? ['InternalError', 'the object could not be deleted; try again'];
          const where = `${place.provider}/${place.bucket}/${key}`;
          return element(
            'Error',
            text('Key', key),
            text('Code', told[0]),
            text('Message', told[1].replace('KEY', where)),
          );
        }),
      ),
    }),
  }),
];

/** S3's codes for the outcomes of single keys of a bulk deletion. */
const DELETE_FAULTS: Readonly<Record<string, readonly [code: string, message: string]>> = {
  access_denied: ['AccessDenied', 'objects:delete on KEY is refused'],
  invalid_request: ['InvalidArgument', 'this is no key'],
  precondition_failed: ['PreconditionFailed', 'the object has changed'],
};

/** Whatever place is named, the bucket is where storage puts it. @throws {SvcError} `MalformedXML`, `NotImplemented`. */
function refuseOtherConfiguration(xml: XmlAnswer | undefined): void {
  if (xml === undefined) return;
  if (xml.root !== 'CreateBucketConfiguration')
    throw s3Fault('MalformedXML', 'the body is no `CreateBucketConfiguration`');
  const names = [...Object.keys(xml.fields), ...xml.items.map(({ name }) => name)];
  const other = names.find((name) => name !== 'LocationConstraint');
  if (other !== undefined)
    throw s3Fault('NotImplemented', `CreateBucket with \`${other}\` is not implemented; nothing was done`);
}

function keysToDelete({ xml, text: sent }: Asked): string[] {
  if (xml?.root !== 'Delete') throw s3Fault('MalformedXML', 'the body is no `Delete` in XML');
  const objects = xml.items.filter(({ name }) => name === 'Object');
  if (objects.length === 0 || objects.length > MAX_KEYS)
    throw s3Fault('MalformedXML', `name 1 to ${MAX_KEYS} objects to delete`);
  // What the reader passes over, such as a second key or an element in a key, could be what the client means.
  const count = (tag: string) => sent.match(new RegExp(`<(?:[\\w-]+:)?${tag}[\\s/>]`, 'g'))?.length;
  if (xml.items.length > objects.length || count('Object') !== objects.length || count('Key') !== objects.length)
    throw s3Fault('MalformedXML', 'an object to delete has exactly one `Key`, and no element with elements in it');
  return objects.map(({ fields: { Key: key, ...more } }) => {
    const other = Object.keys(more)[0];
    if (other !== undefined)
      throw s3Fault('NotImplemented', `DeleteObjects with \`${other}\` is not implemented; nothing was done`);
    if (key === undefined || key === '') throw s3Fault('MalformedXML', 'an object to delete has no key');
    return key;
  });
}

function listingOf(asked: Asked) {
  const { query } = asked.request;
  const delimiter = query.get('delimiter') ?? '';
  if (delimiter !== '' && delimiter !== '/')
    throw s3Fault('NotImplemented', 'a listing has the delimiter `/`, or none');
  if ((query.get('encoding-type') ?? 'url') !== 'url')
    throw s3Fault('InvalidArgument', '`encoding-type` is `url`, or left out');
  return {
    ...bucketOf(asked),
    prefix: query.get('prefix') ?? '',
    ...(delimiter === '' ? {} : { delimiter: '/' as const }),
    limit: Math.max(1, maxKeysOf(asked)),
  };
}

function maxKeysOf({ request: { query } }: Asked): number {
  const text = query.get('max-keys') ?? String(MAX_KEYS);
  if (!/^\d{1,10}$/.test(text)) throw s3Fault('InvalidArgument', '`max-keys` is no number');
  return Math.min(MAX_KEYS, Number(text));
}

function shownOf({ objects, prefixes, nextCursor }: OperationOutput<'object/list'>, asked: Asked) {
  const { query } = asked.request;
  const name = nameIn(asked.request);
  const isNothing = maxKeysOf(asked) === 0;
  const next = isNothing ? null : nextCursor;
  return {
    next,
    count: isNothing ? 0 : objects.length + prefixes.length,
    head: [
      text('Name', asked.place.bucket),
      name('Prefix', query.get('prefix') ?? ''),
      name('Delimiter', query.get('delimiter') || undefined),
      text('MaxKeys', maxKeysOf(asked)),
      text('EncodingType', query.get('encoding-type')),
      text('IsTruncated', next !== null),
    ],
    entries: (withOwner: boolean) => {
      if (isNothing) return [];
      const form = {
        name,
        isEncoded: query.get('encoding-type') === 'url',
        owner: withOwner ? ownerOf(asked.caller) : '',
      };
      return [
        ...contentsOf(objects, form),
        ...prefixes.map((prefix) => element('CommonPrefixes', name('Prefix', prefix))),
      ];
    },
  };
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
