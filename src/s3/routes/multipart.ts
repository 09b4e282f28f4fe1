import {
  copyIntoPart,
  createUpload,
  dropUpload,
  getUpload,
  joinUpload,
  listOpenUploads,
  uploadPart,
} from '../../operation/uploads.ts';
import { pathOf } from '../../sigv4/sigv4.ts';
import { s3Fault } from '../fault.ts';
import type { S3Request } from '../request.ts';
import { route, type Asked } from '../route.ts';
import { refuseConditions, storedOf, writeConditions, WRITING } from '../stored.ts';
import { element, nameIn, root, text } from '../xml-answer.ts';
import { COPY_SOURCE, copied, SOURCE_CONDITIONS, sourceConditions, sourceOf } from './objects.ts';

const MAX_PAGE = 1_000;
const ofUpload = ({ place, request }: Asked) => ({ ...place, id: request.query.get('uploadId') ?? '' });

export const multipartRoutes = [
  route('CreateMultipartUpload', 'POST object', {
    operation: createUpload,
    selectedBy: ['uploads'],
    headers: [...WRITING, 'x-amz-checksum-algorithm', 'x-amz-checksum-type'],
    input: ({ place, request }) => {
      refuseConditions(request);
      return { ...place, ...storedOf(request) };
    },
    answer: ({ id }, { place }) => ({
      xml: root(
        'InitiateMultipartUploadResult',
        text('Bucket', place.bucket),
        text('Key', place.key),
        text('UploadId', id),
      ),
    }),
  }),
  route('UploadPart', 'PUT object', {
    operation: uploadPart,
    selectedBy: ['uploadId', 'partNumber'],
    body: 'stream',
    input: (asked) => ({ ...ofUpload(asked), number: partNumberOf(asked.request), size: asked.size }),
    answer: ({ etag }) => ({ headers: { ETag: etag } }),
  }),
  route('UploadPartCopy', 'PUT object', {
    operation: copyIntoPart,
    selectedBy: ['uploadId', 'partNumber'],
    selectedByHeader: COPY_SOURCE,
    headers: [COPY_SOURCE, ...SOURCE_CONDITIONS, 'x-amz-copy-source-range'],
    input: (asked) => ({
      ...ofUpload(asked),
      number: partNumberOf(asked.request),
      from: sourceOf(asked.request),
      range: asked.request.header('x-amz-copy-source-range'),
      ...sourceConditions(asked.request),
    }),
    answer: (output) => copied('CopyPartResult', output),
  }),
  route('CompleteMultipartUpload', 'POST object', {
    operation: joinUpload,
    selectedBy: ['uploadId'],
    body: 'xml',
    hasChecksumOfObject: true,
    input: (asked) => ({ ...ofUpload(asked), parts: partsOf(asked), ...writeConditions(asked.request) }),
    answer: ({ etag }, { place }) => ({
      xml: root(
        'CompleteMultipartUploadResult',
        text('Location', `/${place.bucket}/${pathOf(place.key)}`),
        text('Bucket', place.bucket),
        text('Key', place.key),
        text('ETag', etag),
      ),
    }),
  }),
  route('AbortMultipartUpload', 'DELETE object', {
    operation: dropUpload,
    selectedBy: ['uploadId'],
    input: ofUpload,
    answer: ({ wasOpen }) => {
      if (!wasOpen) throw s3Fault('NoSuchUpload', 'there is no such upload, or no longer');
      return { status: 204 };
    },
  }),
  route('ListParts', 'GET object', {
    operation: getUpload,
    selectedBy: ['uploadId'],
    parameters: ['encoding-type', 'max-parts', 'part-number-marker'],
    input: ofUpload,
    answer: ({ parts }, { request, place }) => {
      const after = numberOf(request, 'part-number-marker', 0);
      const most = Math.max(1, Math.min(MAX_PAGE, numberOf(request, 'max-parts', MAX_PAGE)));
      const left = parts.filter(({ number }) => number > after);
      const page = left.slice(0, most);
      return {
        xml: root(
          'ListPartsResult',
          text('Bucket', place.bucket),
          text('Key', place.key),
          text('UploadId', request.query.get('uploadId')),
          text('PartNumberMarker', after),
          text('NextPartNumberMarker', page.at(-1)?.number ?? after),
          text('MaxParts', most),
          text('IsTruncated', page.length < left.length),
          text('StorageClass', 'STANDARD'),
          ...page.map(({ number, size, etag, lastModified }) =>
            element(
              'Part',
              text('PartNumber', number),
              text('LastModified', lastModified),
              text('ETag', etag),
              text('Size', size),
            ),
          ),
        ),
      };
    },
  }),
  route('ListMultipartUploads', 'GET bucket', {
    operation: listOpenUploads,
    selectedBy: ['uploads'],
    parameters: ['encoding-type', 'max-uploads', 'prefix', 'delimiter', 'key-marker', 'upload-id-marker'],
    input: ({ place: { provider, bucket }, request }) => {
      if (request.query.get('delimiter'))
        throw s3Fault('NotImplemented', 'ListMultipartUploads with a delimiter is not implemented');
      const marker = request.query.get('upload-id-marker') || undefined;
      if (marker === undefined && request.query.get('key-marker'))
        throw s3Fault('NotImplemented', '`key-marker` comes with the `upload-id-marker` of the previous page');
      return {
        provider,
        bucket,
        prefix: request.query.get('prefix') ?? '',
        cursor: marker,
        limit: maxUploadsOf(request),
      };
    },
    answer: ({ uploads, nextCursor }, { request, place }) => {
      const { query } = request;
      const name = nameIn(request);
      return {
        xml: root(
          'ListMultipartUploadsResult',
          text('Bucket', place.bucket),
          name('Prefix', query.get('prefix') ?? ''),
          name('KeyMarker', query.get('key-marker') ?? ''),
          text('UploadIdMarker', query.get('upload-id-marker') ?? ''),
          name('NextKeyMarker', nextCursor === null ? undefined : (uploads.at(-1)?.key ?? '')),
          text('NextUploadIdMarker', nextCursor ?? undefined),
          text('MaxUploads', maxUploadsOf(request)),
          text('EncodingType', query.get('encoding-type')),
          text('IsTruncated', nextCursor !== null),
          ...uploads.map(({ key, id, initiated }) =>
            element(
              'Upload',
              name('Key', key),
              text('UploadId', id),
              text('StorageClass', 'STANDARD'),
              text('Initiated', initiated),
            ),
          ),
        ),
      };
    },
  }),
];

function maxUploadsOf(request: S3Request): number {
  return Math.max(1, Math.min(MAX_PAGE, numberOf(request, 'max-uploads', MAX_PAGE)));
}

function partNumberOf(request: S3Request): number {
  const number = numberOf(request, 'partNumber', 0);
  if (number < 1 || number > 10_000) throw s3Fault('InvalidArgument', '`partNumber` is between 1 and 10000');
  return number;
}

function numberOf({ query }: S3Request, name: string, byDefault: number): number {
  const given = query.get(name);
  if (given === undefined || given === '') return byDefault;
  if (!/^\d{1,9}$/.test(given)) throw s3Fault('InvalidArgument', `\`${name}\` is no number`);
  return Number(given);
}

function partsOf({ xml }: Asked): { number: number; etag: string }[] {
  if (xml?.root !== 'CompleteMultipartUpload')
    throw s3Fault('MalformedXML', 'the body is no `CompleteMultipartUpload` in XML');
  let last = 0;
  return xml.items
    .filter(({ name }) => name === 'Part')
    .map(({ fields: { PartNumber: number = '', ETag: etag = '' } }) => {
      if (!/^\d{1,5}$/.test(number) || etag === '')
        throw s3Fault('MalformedXML', 'a part has no `PartNumber`, or no `ETag`');
      if (Number(number) <= last) throw s3Fault('InvalidPartOrder', 'the parts are not in the order of their numbers');
      last = Number(number);
      return { number: last, etag };
    });
}
