import type { S3Client } from '@aws-sdk/client-s3';
import { SvcError } from '../errors/svc-error.ts';

/** The limit for an answer. A page of a thousand names of a kilobyte fits, even in the longest encoding. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** The limit for a page of keys, twice the size that pages have in nearly every bucket. Parsing more would delay other requests. */
const MAX_PAGE_BYTES = 1_048_576;
/** A page of so many keys always fits into {@link MAX_PAGE_BYTES}, however long and encoded they are. */
export const FEW_KEYS = 250;
/** The name of the error for a page of more than {@link FEW_KEYS} keys that is too long. */
export const LONG_PAGE = 'LongPage';
/** How much may come before the root element: a declaration, a comment, and the blanks that storage sends while it joins parts. */
const HEAD_BYTES = 16_384;

/** The root element of each answer that has a body. */
const ROOTS: Readonly<Record<string, string>> = {
  ListBucketsCommand: 'ListAllMyBucketsResult',
  ListObjectsV2Command: 'ListBucketResult',
  ListPartsCommand: 'ListPartsResult',
  CopyObjectCommand: 'CopyObjectResult',
  UploadPartCopyCommand: 'CopyPartResult',
  CompleteMultipartUploadCommand: 'CompleteMultipartUploadResult',
  DeleteObjectsCommand: 'DeleteResult',
};

type Answer = { readonly statusCode: number; readonly headers: Readonly<Record<string, string>>; body: AsyncIterable<Uint8Array> | Uint8Array };

/**
 * Checks the answers of storage before the SDK parses them. The SDK takes an empty answer, or a page of another program, for an empty
 * list or a finished copy, and it parses XML of any size while all other requests wait.
 */
export function checkAnswers(client: S3Client, provider: string): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const answer = result.response as Answer;
      const isObject = context.commandName === 'GetObjectCommand' && answer.statusCode < 300;
      if (isObject || answer.body instanceof Uint8Array) return result;
      const mayBeLong = ((args.input as { readonly MaxKeys?: number }).MaxKeys ?? 0) <= FEW_KEYS;
      const bytes = await readUpTo(answer.body, mayBeLong ? MAX_ANSWER_BYTES : MAX_PAGE_BYTES);
      if (bytes === undefined && !mayBeLong) throw Object.assign(new Error(`a page of more than ${MAX_PAGE_BYTES} bytes`), { name: LONG_PAGE });
      if (bytes === undefined) throw unavailable(provider, `answered with more than ${MAX_ANSWER_BYTES / 1_048_576} MiB`);
      answer.body = bytes;
      const root = ROOTS[context.commandName ?? ''];
      if (root === undefined || answer.statusCode !== 200) return result;
      const found = rootOf(bytes);
      // The SDK handles an error in an answer with status 200 itself.
      if (found !== root && found !== 'Error') throw unavailable(provider, foreign(answer, root));
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'checkAnswers' },
  );
}

/** Reads a body up to a limit. @returns undefined when the body is longer. */
async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function rootOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('utf8');
  return /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--[^>]*-->\s*)*<(?:[\w.-]+:)?([\w.-]+)/.exec(head)?.[1];
}

function foreign({ statusCode, headers }: Answer, root: string): string {
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  if (type !== '' && !type.endsWith('xml')) return `does not answer as S3 does (${statusCode}, ${type}); check \`endpoint\``;
  return `answered something else than ${root.startsWith('List') ? 'a list' : `a \`${root}\``}; is its \`endpoint\` the address of S3?`;
}

function unavailable(provider: string, what: string): SvcError {
  return new SvcError('storage_unavailable', { detail: `storage provider \`${provider}\` ${what}` });
}
