import { refuseOtherAcl } from './access-lists.ts';
import { s3Fault } from './fault.ts';
import type { S3Request } from './request.ts';

/** The `x-amz-` headers of a call that writes an object. */
export const WRITING = ['x-amz-acl', 'x-amz-meta-', 'x-amz-storage-class', 'x-amz-tagging'] as const;
const STORED = [
  'cache-control',
  'content-disposition',
  'content-language',
  'expires',
  'x-amz-storage-class',
  'x-amz-tagging',
] as const;

/**
 * What is kept with an object that a call writes.
 *
 * @throws {SvcError} `AccessControlListNotSupported`.
 */
export function storedOf(request: S3Request) {
  refuseOtherAcl(request);
  const stored: Record<string, string> = {};
  const keep = (name: string, value: string | undefined): void => {
    // Storage keeps bytes, each of which is a character of the text of a header.
    if (value !== undefined) stored[name] = Buffer.from(value).toString('latin1');
  };
  for (const name of STORED) keep(name, request.header(name) || undefined);
  keep('content-encoding', withoutFraming(request.header('content-encoding')));
  for (const name of request.fieldNames()) if (name.startsWith('x-amz-meta-')) keep(name, request.header(name));
  return { contentType: request.header('content-type') || undefined, stored };
}

/** `aws-chunked` describes how the body is sent, not how it is stored. */
function withoutFraming(encoding: string | undefined): string | undefined {
  const names = encoding?.split(',').map((name) => name.trim()) ?? [];
  return names.filter((name) => name !== '' && name !== 'aws-chunked').join(', ') || undefined;
}

/** The conditions of a write. @throws {SvcError} `NotImplemented`: only whether anything is there can be required not to be. */
export function writeConditions(request: S3Request) {
  const ifNoneMatch = request.header('if-none-match');
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*')
    throw s3Fault('NotImplemented', '`If-None-Match` of a write is `*`; nothing was done');
  for (const name of ['if-modified-since', 'if-unmodified-since'])
    if (request.header(name) !== undefined)
      throw s3Fault('NotImplemented', `\`${name}\` of a write is not implemented; nothing was done`);
  return { ifMatch: request.header('if-match'), ifNoneMatch: ifNoneMatch === '*' ? ('*' as const) : undefined };
}

/** @throws {SvcError} `NotImplemented`: the call takes no condition. */
export function refuseConditions(request: S3Request): void {
  const { ifMatch, ifNoneMatch } = writeConditions(request);
  if (ifMatch !== undefined || ifNoneMatch !== undefined)
    throw s3Fault('NotImplemented', 'this call takes no condition; nothing was done');
}

/** An ETag with its quotes. Some tools leave them out. */
export function quoted(etags: string | undefined): string | undefined {
  if (etags === undefined || etags === '*' || etags.includes('"')) return etags;
  return `"${etags}"`;
}
