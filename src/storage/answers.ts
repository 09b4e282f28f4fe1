import type { S3Client } from '@aws-sdk/client-s3';
import { SvcError } from '../errors/svc-error.ts';

/** Of one page of a list, a thousand names of a kilobyte in the longest writing included. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** Of a page of keys, which is half as long in nearly every bucket: to read more takes so long that others notice. */
const MAX_PAGE_BYTES = 1_048_576;
/** So many keys fit into that, however they are written. */
export const FEW_KEYS = 250;
/** The name of the error for a page of more than {@link FEW_KEYS} that does not. */
export const LONG_PAGE = 'LongPage';
/** Enough for a declaration, a comment, and the blanks that storage sends while it joins parts, before the root element. */
const HEAD_BYTES = 16_384;

/** The root element of each answer that says something. */
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
 * Looks at the answers of storage before the SDK reads them. It takes one that is empty, or a page of somebody else, for a list
 * without entries or a copy that was made, and reads XML of any size, while nothing else can be done.
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
      // The SDK knows what to do with an error in an answer that says 200.
      if (found !== root && found !== 'Error') throw unavailable(provider, foreign(answer, root));
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'checkAnswers' },
  );
}

/** @returns undefined when there is more. */
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
