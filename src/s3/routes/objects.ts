import { copy, describeObject, listTags, removeObjects } from '../../operation/objects.ts';
import { readObject, writeObject } from '../../operation/transfers.ts';
import { accessOf, refuseOtherAcl, refuseOtherGrants } from '../access-lists.ts';
import { s3Fault } from '../fault.ts';
import { decode, type S3Request } from '../request.ts';
import { route, type Asked, type RouteParts, type S3Reply } from '../route.ts';
import { quoted, storedOf, writeConditions, WRITING } from '../stored.ts';
import { element, root, text } from '../xml-answer.ts';

/** Parameters by which a signed request chooses headers of the answer. */
const CHOSEN_HEADERS: Readonly<Record<string, string>> = {
  'response-cache-control': 'cache-control',
  'response-content-disposition': 'content-disposition',
  'response-content-encoding': 'content-encoding',
  'response-content-language': 'content-language',
  'response-content-type': 'content-type',
  'response-expires': 'expires',
};

export const COPY_SOURCE = 'x-amz-copy-source';
/** The conditions of a copy on its source. */
export const SOURCE_CONDITIONS: readonly string[] = [
  `${COPY_SOURCE}-if-match`,
  `${COPY_SOURCE}-if-none-match`,
  `${COPY_SOURCE}-if-modified-since`,
  `${COPY_SOURCE}-if-unmodified-since`,
];

const placeOf = ({ place }: Asked) => place;

const reads = (headersOnly?: '1'): RouteParts<'object/read'> => ({
  operation: readObject,
  parameters: Object.keys(CHOSEN_HEADERS),
  headers: ['x-amz-checksum-mode'],
  input: ({ place, request }) => {
    // Checked before storage is asked.
    chosenHeaders(request);
    return {
      ...place,
      headersOnly,
      stored: '1',
      checksums: request.header('x-amz-checksum-mode')?.toUpperCase() === 'ENABLED' ? '1' : undefined,
      range: request.header('range'),
      ifRange: request.header('if-range'),
      ifMatch: quoted(request.header('if-match')),
      ifNoneMatch: quoted(request.header('if-none-match')),
      ifModifiedSince: request.header('if-modified-since'),
      ifUnmodifiedSince: request.header('if-unmodified-since'),
    };
  },
  answer: ({ status, headers, body }, { request }) => ({
    status,
    headers: { ...headers, ...chosenHeaders(request) },
    body,
  }),
});

function chosenHeaders({ query }: S3Request): Readonly<Record<string, string>> {
  const chosen: Record<string, string> = {};
  for (const [parameter, header] of Object.entries(CHOSEN_HEADERS)) {
    const value = query.get(parameter);
    if (value === undefined) continue;
    if (!/^[\t\x20-\x7e]{1,1024}$/.test(value)) throw s3Fault('InvalidArgument', `\`${parameter}\` cannot be a header`);
    chosen[header] = value;
  }
  return chosen;
}

export const objectRoutes = [
  route('GetObject', 'GET object', reads()),
  route('HeadObject', 'HEAD object', reads('1')),
  route('GetObjectAcl', 'GET object', {
    operation: describeObject,
    selectedBy: ['acl'],
    input: placeOf,
    answer: (_output, { caller }) => ({ xml: accessOf(caller) }),
  }),
  route('PutObjectAcl', 'PUT object', {
    operation: describeObject,
    selectedBy: ['acl'],
    body: 'xml',
    headers: ['x-amz-acl'],
    input: ({ place, request, xml, caller }) => {
      refuseOtherAcl(request);
      if (xml !== undefined) refuseOtherGrants(xml, caller);
      return place;
    },
    answer: () => ({}),
  }),
  route('GetObjectTagging', 'GET object', {
    operation: listTags,
    selectedBy: ['tagging'],
    input: placeOf,
    answer: ({ tags }) => ({
      xml: root(
        'Tagging',
        element('TagSet', ...tags.map(({ key, value }) => element('Tag', text('Key', key), text('Value', value)))),
      ),
    }),
  }),
  route('PutObject', 'PUT object', {
    operation: writeObject,
    body: 'stream',
    headers: WRITING,
    input: ({ place, request, size }) => ({ ...place, ...storedOf(request), ...writeConditions(request), size }),
    answer: ({ etag }) => ({ headers: { ETag: etag } }),
  }),
  route('CopyObject', 'PUT object', {
    operation: copy,
    selectedByHeader: COPY_SOURCE,
    headers: [
      ...WRITING,
      COPY_SOURCE,
      ...SOURCE_CONDITIONS,
      'x-amz-metadata-directive',
      'x-amz-tagging-directive',
      'x-amz-checksum-algorithm',
    ],
    input: ({ place: { provider, bucket, key }, request }) => {
      const source = sourceOf(request);
      const replace = replacementOf(request);
      if (replace === undefined && source.bucket === bucket && source.key === key)
        throw s3Fault('InvalidRequest', 'an object is copied to itself only to replace its metadata');
      return {
        provider,
        ...source,
        to: { bucket, key },
        ...writeConditions(request),
        ...sourceConditions(request),
        replace,
        storageClass: request.header('x-amz-storage-class'),
      };
    },
    answer: (output) => copied('CopyObjectResult', output),
  }),
  route('DeleteObject', 'DELETE object', {
    operation: removeObjects,
    input: ({ place, request }) => {
      const { ifMatch, ifNoneMatch } = writeConditions(request);
      if (ifNoneMatch !== undefined)
        throw s3Fault('NotImplemented', '`If-None-Match` of a deletion is not implemented; nothing was done');
      return { ...place, ifMatch };
    },
    answer: () => ({ status: 204 }),
  }),
];

export function copied(
  name: string,
  { etag, lastModified }: { readonly etag: string; readonly lastModified: string | null },
): S3Reply {
  return { xml: root(name, text('LastModified', lastModified), text('ETag', etag)) };
}

/** What the copy has in place of what its source has; undefined when it keeps that. */
function replacementOf(request: S3Request) {
  const directive = request.header('x-amz-metadata-directive') ?? 'COPY';
  const tags = request.header('x-amz-tagging-directive') ?? 'COPY';
  const { contentType, stored } = storedOf(request);
  if (directive === 'REPLACE') return contentType === undefined ? { stored } : { contentType, stored };
  if (directive !== 'COPY') throw s3Fault('InvalidArgument', '`x-amz-metadata-directive` is `COPY` or `REPLACE`');
  if (tags !== 'COPY' || stored['x-amz-tagging'] !== undefined)
    throw s3Fault(
      'NotImplemented',
      'CopyObject replaces the metadata and the tags together (`x-amz-metadata-directive: REPLACE`), or none',
    );
  return undefined;
}

/**
 * The object that a copy reads, decoded once. A `+` is a plus, and a version is split off before anything is decoded.
 *
 * @throws {SvcError} `InvalidArgument`, `NotImplemented`.
 */
export function sourceOf(request: S3Request): { readonly bucket: string; readonly key: string } {
  const source = request.header(COPY_SOURCE) ?? '';
  if (source.includes('?')) throw s3Fault('NotImplemented', 'a copy of a version is not implemented; nothing was done');
  // A signature does not tell one blank from two.
  if (/\s/.test(source)) throw s3Fault('InvalidArgument', `\`${COPY_SOURCE}\` has a blank; encode it`);
  const path = source.startsWith('/') ? source.slice(1) : source;
  const at = path.indexOf('/');
  const found = /%2f/i.exec(path);
  // Some tools encode the slash after the bucket too.
  const isEncoded = at === -1 && found !== null;
  const [bucket, key] = isEncoded
    ? [path.slice(0, found.index), path.slice(found.index + 3)]
    : [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
  if (bucket === '' || key === '') throw s3Fault('InvalidArgument', `\`${COPY_SOURCE}\` is not \`/BUCKET/KEY\``);
  return { bucket: decode(bucket), key: decode(key) };
}

export function sourceConditions(request: S3Request) {
  const condition = (name: string) => request.header(`${COPY_SOURCE}-if-${name}`);
  for (const name of ['modified-since', 'unmodified-since'])
    if (Number.isNaN(Date.parse(condition(name) ?? '2000-01-01')))
      throw s3Fault('InvalidArgument', `\`${COPY_SOURCE}-if-${name}\` is no time`);
  return {
    sourceIfMatch: condition('match'),
    sourceIfNoneMatch: condition('none-match'),
    sourceIfModifiedSince: condition('modified-since'),
    sourceIfUnmodifiedSince: condition('unmodified-since'),
  };
}
