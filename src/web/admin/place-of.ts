import type { ExplainRequest } from '../../wire/http.ts';

/** The place of a question as text: `provider/bucket/key`. */
export function placeOf({ provider, bucket, prefix, key }: ExplainRequest): string {
  return [provider, bucket, key ?? prefix].filter((part) => part !== undefined).join('/');
}
