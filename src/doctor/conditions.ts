import { codeOf } from '../errors/svc-error.ts';
import type { ObjectRef } from '../storage/provider.ts';
import type { S3Request } from '../storage/s3/request.ts';
import type { Findings } from './finding.ts';

const OTHER_ETAG = '"00000000000000000000000000000000"';

/**
 * Says which conditions storage honours, by requests that it has to refuse.
 *
 * @param probe - an object that exists, and is written again with its content.
 */
export async function examineConditions(probe: ObjectRef, content: Buffer, findings: Findings): Promise<void> {
  const {
    bucket,
    key,
    provider: { s3 },
  } = probe;
  const ifAbsent = { 'if-none-match': '*' };
  const write = { method: 'PUT', bucket, key, body: content } as const;
  const copy = {
    method: 'PUT',
    bucket,
    key: `${key}-copy`,
    headers: { 'x-amz-copy-source': `${bucket}/${key}` },
  } as const;
  const remove = { method: 'DELETE', bucket, key: copy.key } as const;
  const { fields } = await s3.ask(
    { method: 'POST', bucket, key, query: { uploads: '' } },
    'InitiateMultipartUploadResult',
  );
  const uploadId = fields['UploadId'] ?? '';
  try {
    await s3.ask(copy, 'CopyObjectResult');
    const { headers } = await s3.send({ ...write, query: { partNumber: '1', uploadId } });
    const part = `<Part><PartNumber>1</PartNumber><ETag>${headers['etag'] ?? ''}</ETag></Part>`;
    const join: S3Request = {
      method: 'POST',
      bucket,
      key,
      query: { uploadId },
      headers: ifAbsent,
      body: Buffer.from(
        `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${part}</CompleteMultipartUpload>`,
      ),
    };
    const conditions: readonly (readonly [of: string, request: S3Request, root?: string])[] = [
      ['writes', { ...write, headers: ifAbsent }],
      ['copies', { ...copy, headers: { ...copy.headers, ...ifAbsent } }, 'CopyObjectResult'],
      [
        'sources of copies',
        { ...copy, headers: { ...copy.headers, 'x-amz-copy-source-if-match': OTHER_ETAG } },
        'CopyObjectResult',
      ],
      ['multipart uploads', join, 'CompleteMultipartUploadResult'],
      ['reads', { method: 'GET', bucket, key, headers: { 'if-match': OTHER_ETAG } }],
      ['deletes', { ...remove, headers: { 'if-match': OTHER_ETAG } }],
    ];
    const ignored: string[] = [];
    for (const [of, request, root] of conditions) {
      const isHonoured = await (root === undefined ? s3.send(request) : s3.ask(request, root)).then(
        () => false,
        isRefused,
      );
      if (!isHonoured) ignored.push(of);
    }
    if (ignored.length === 0) findings.ok('honours the conditions of all requests');
    else
      findings.warn(
        `does not honour the conditions of ${ignored.join(', ')}: svc checks them itself, but only within one instance; with several instances, turn on versioning of the buckets`,
      );
  } finally {
    await s3.send({ method: 'DELETE', bucket, key, query: { uploadId } }).catch(() => undefined);
    await s3.send(remove).catch(() => undefined);
  }
}

/** Storage that does not know a condition refuses the request for that reason. */
function isRefused(error: unknown): boolean {
  if (codeOf(error) === 'precondition_failed') return true;
  if (codeOf(error) === 'not_supported') return false;
  throw error;
}
