import { describe, expect, it } from '@jest/globals';
import { SvcError } from '../../src/errors/svc-error.ts';
import { codeOfFault, storageError } from '../../src/storage/storage-error.ts';

const fault = (name: string, status?: number, code?: string) =>
  Object.assign(new Error('secret endpoint'), { name, status, ...(code !== undefined && { code }) });

describe('storageError', () => {
  it.each([
    ['NoSuchKey', 404, 'not_found'],
    ['NotFound', 404, 'not_found'],
    ['NoSuchUpload', 404, 'not_found'],
    ['NoSuchBucket', 404, 'not_found'],
    ['NoSuchVersion', 400, 'not_found'],
    ['Unknown', 404, 'not_found'],
    ['PreconditionFailed', 412, 'precondition_failed'],
    ['412', 412, 'precondition_failed'],
    ['InvalidRange', 416, 'range_not_satisfiable'],
    ['BucketAlreadyExists', 409, 'bucket_exists'],
    ['BucketAlreadyOwnedByYou', 409, 'bucket_exists'],
    ['BucketNotEmpty', 409, 'bucket_not_empty'],
    ['InvalidPart', 400, 'invalid_request'],
    ['EntityTooSmall', 400, 'invalid_request'],
    ['KeyTooLongError', 400, 'invalid_request'],
    ['EntityTooLarge', 400, 'payload_too_large'],
    ['InvalidObjectState', 403, 'conflict'],
    ['OperationAborted', 400, 'conflict'],
    ['ConditionalRequestConflict', 400, 'conflict'],
    ['RequestTimeout', 400, 'storage_timeout'],
    ['TimeoutError', undefined, 'storage_timeout'],
    ['ExpiredToken', 400, 'storage_unavailable'],
    ['InvalidToken', 400, 'storage_unavailable'],
    ['TokenRefreshRequired', 400, 'storage_unavailable'],
    ['RequestTimeTooSkewed', 403, 'storage_unavailable'],
    ['IllegalLocationConstraintException', 400, 'storage_unavailable'],
    ['MethodNotAllowed', 400, 'storage_unavailable'],
    ['TooManyBuckets', 400, 'storage_unavailable'],
    ['QuotaExceeded', 400, 'storage_unavailable'],
    ['SlowDown', 503, 'storage_unavailable'],
    ['InternalError', 500, 'storage_unavailable'],
    ['InvalidAccessKeyId', 403, 'storage_unavailable'],
    ['SignatureDoesNotMatch', 403, 'storage_unavailable'],
    ['AccessDenied', 403, 'storage_unavailable'],
    ['403', 403, 'storage_unavailable'],
    ['PermanentRedirect', 301, 'storage_unavailable'],
    ['AuthorizationHeaderMalformed', 400, 'storage_unavailable'],
    ['CredentialsProviderError', undefined, 'storage_unavailable'],
    ['NotImplemented', 501, 'not_supported'],
    ['NotImplemented', 400, 'not_supported'],
    ['', 501, 'not_supported'],
    ['', 401, 'storage_unavailable'],
    ['', 405, 'storage_unavailable'],
    ['', 408, 'storage_timeout'],
    ['', 409, 'conflict'],
    ['', 413, 'payload_too_large'],
    ['', 416, 'range_not_satisfiable'],
    ['', 429, 'storage_unavailable'],
    ['', 504, 'storage_timeout'],
    ['', 400, 'invalid_request'],
    ['', 499, 'invalid_request'],
    ['', 500, 'storage_unavailable'],
    ['', 302, 'storage_unavailable'],
    ['constructor', 400, 'invalid_request'],
    ['__proto__', undefined, 'storage_unavailable'],
  ])('takes %s with status %s for %s', (name, status, code) => {
    const error = storageError('minio', fault(name, status));
    expect(error.code).toBe(code);
    expect(error.detail).not.toMatch(/secret endpoint|undefined|function/);
  });

  it.each([
    ['ECONNREFUSED', 'storage_unavailable', 'refuses the connection; check that it runs, and `endpoint`'],
    ['ENOTFOUND', 'storage_unavailable', 'has an address that is not known; check `endpoint`'],
    ...['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].map(
      (code) => [code, 'storage_timeout', 'did not answer in time; try again later'] as const,
    ),
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'storage_unavailable',
      "shows a certificate that it signed itself, which is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT); set the provider's `tls.ca_file` to a file with that certificate",
    ],
    ['ESURPRISE', 'storage_unavailable', 'cannot be used now; try again later'],
  ])('says for %s what to do', (code, ours, what) => {
    expect(storageError('minio', fault('TimeoutError', undefined, code))).toMatchObject({
      code: ours,
      detail: `storage provider \`minio\` ${what}`,
    });
  });

  it('names the setting to check for faults of the configuration', () => {
    expect(storageError('minio', fault('AuthorizationHeaderMalformed', 400)).detail).toBe(
      'storage provider `minio` expects another region; check `region`',
    );
    for (const status of [401, 403])
      expect(storageError('minio', fault(String(status), status)).detail).toBe(
        "storage provider `minio` does not let the service's access key do this; check the bucket's policy and the permissions of the key",
      );
  });

  it.each([
    ['NoSuchBucket', 404, 'there is no such bucket'],
    ['NoSuchKey', 404, 'there is no such object'],
    ['NoSuchUpload', 404, 'there is no such upload of this key; start a new one'],
    ['InvalidObjectState', 403, 'the object is archived; it has to be brought back first'],
    ['OperationAborted', 409, 'another request changes the same thing; try again'],
    ['InvalidRange', 416, 'the range begins behind the end of the object'],
    ['PreconditionFailed', 412, 'the object exists already, or has changed'],
    ['BucketAlreadyExists', 409, 'a bucket of this name exists already; choose another name'],
    ['BucketNotEmpty', 409, 'delete the objects, their earlier versions and unfinished uploads in the bucket first'],
    ['EntityTooLarge', 400, 'storage provider `minio` takes nothing as large as this'],
    ['NotImplemented', 501, 'storage provider `minio` does not support this operation'],
    ['InvalidToken', 400, 'storage provider `minio` refuses the session token; renew `credentials.session_token`'],
    ['Unknown', 400, 'storage provider `minio` refuses the request'],
  ])('says of %s what it is about', (name, status, detail) => {
    expect(storageError('minio', fault(name, status)).detail).toBe(detail);
  });

  it.each(['Surprise', 'X'.repeat(64)])('shows the name %s that storage gives a refusal', (name) => {
    expect(storageError('minio', fault(name, 400))).toMatchObject({
      code: 'invalid_request',
      detail: `storage provider \`minio\` refuses the request (${name})`,
    });
  });

  it.each([
    '',
    'X'.repeat(65),
    'Two Words',
    '<b>',
    'Surprise\n',
    '\u001b[31mRed',
    '\u202eright-to-left',
    'https://storage.example',
    'Ärger',
  ])('shows no name but of letters: %j', (name) => {
    expect(storageError('minio', fault(name, 400))).toMatchObject({
      code: 'invalid_request',
      detail: 'storage provider `minio` refuses the request',
    });
  });

  it('passes on an error that is ours already', () => {
    const ours = new SvcError('conflict');
    expect(storageError('minio', ours)).toBe(ours);
  });

  it('takes anything that can be thrown', () => {
    for (const thrown of [undefined, null, 'text', 1, {}, { name: 5, code: {} }, { status: '404' }])
      expect(storageError('minio', thrown).code).toBe('storage_unavailable');
  });
});

describe('codeOfFault', () => {
  it('gives a code of the catalogue for whatever a bulk delete reports', () => {
    expect(
      ['AccessDenied', 'InternalError', 'InvalidArgument', 'MalformedXML', 'constructor', ''].map(codeOfFault),
    ).toEqual([
      'storage_unavailable',
      'storage_unavailable',
      'invalid_request',
      'invalid_request',
      'storage_unavailable',
      'storage_unavailable',
    ]);
  });
});
