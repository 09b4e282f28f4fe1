import type { S3Client } from '@aws-sdk/client-s3';
import { SvcError } from '../errors/svc-error.ts';

/** Of one page of a list, a thousand names of a kilobyte in the longest writing included. */
const MAX_ANSWER_BYTES = 16 * 1_048_576;
/** Enough for a declaration and a comment before the root element. */
const HEAD_BYTES = 1_024;

/** The root element of each list that storage is asked for. */
const ROOTS: Readonly<Record<string, string>> = {
  ListBucketsCommand: 'ListAllMyBucketsResult',
  ListObjectsV2Command: 'ListBucketResult',
  ListPartsCommand: 'ListPartsResult',
};

type Answer = { readonly statusCode: number; readonly headers: Readonly<Record<string, string>>; body: AsyncIterable<Uint8Array> | Uint8Array };

/**
 * Looks at the answers to lists before the SDK reads them. It takes an answer that is empty, or something else than a list, for a list
 * without entries, and reads XML of any size, while nothing else can be done.
 */
export function checkLists(client: S3Client, provider: string): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const root = ROOTS[context.commandName ?? ''];
      const answer = result.response as Answer;
      if (root === undefined || answer.statusCode !== 200 || answer.body instanceof Uint8Array) return result;
      const bytes = await readUpTo(answer.body, MAX_ANSWER_BYTES);
      if (bytes === undefined) throw unavailable(provider, `answered a list with more than ${MAX_ANSWER_BYTES / 1_048_576} MiB`);
      const found = rootOf(bytes);
      // The SDK knows what to do with an error in an answer that says 200.
      if (found !== root && found !== 'Error') throw unavailable(provider, noList(answer));
      answer.body = bytes;
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'checkLists' },
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

function noList({ statusCode, headers }: Answer): string {
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  if (type !== '' && !type.endsWith('xml')) return `does not answer as S3 does (${statusCode}, ${type}); check \`endpoint\``;
  return 'answered something else than a list; is its `endpoint` the address of S3?';
}

function unavailable(provider: string, what: string): SvcError {
  return new SvcError('storage_unavailable', { detail: `storage provider \`${provider}\` ${what}` });
}
