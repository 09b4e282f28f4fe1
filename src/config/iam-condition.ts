import { literalPrefix, readVariable, type IamPrefix } from './iam-resource.ts';

/** What a condition of a statement says, where rules can say the same: `ListBucket` for some prefixes alone. */
export type ConditionedPrefixes = { readonly prefixes: readonly IamPrefix[]; readonly fault?: undefined } | { readonly fault: string; readonly prefixes?: undefined };

const REFUSAL = 'a condition cannot be carried over; leaving it out would change what the statement says. Only `StringEquals` or `StringLike` on `s3:prefix` can, for `s3:ListBucket` alone';

/**
 * Reads the condition of a statement that allows `s3:ListBucket`.
 *
 * Who may ask S3 for the keys with a prefix sees all keys that begin with it, and no other: that is what `objects:list` on the prefix gives.
 * A deny is not carried over: S3 would still show the keys to whoever lists with a shorter prefix.
 */
export function readCondition(condition: unknown, effect: unknown, actions: readonly string[]): ConditionedPrefixes {
  const [operator, ...others] = entriesOf(condition);
  const [key, ...more] = entriesOf(operator?.[1]);
  const values = Array.isArray(key?.[1]) ? (key[1] as readonly unknown[]) : [key?.[1]];
  const isListing = effect === 'Allow' && actions.length > 0 && actions.every((action) => action.toLowerCase() === 's3:listbucket');
  const isPrefix = others.length === 0 && more.length === 0 && key?.[0].toLowerCase() === 's3:prefix' && values.length > 0 && values.every((value) => typeof value === 'string');
  const test = operator?.[0];
  if (!isListing || !isPrefix || (test !== 'StringEquals' && test !== 'StringLike')) return { fault: REFUSAL };
  const prefixes: IamPrefix[] = [];
  for (const value of values) {
    const start = test === 'StringLike' && value.endsWith('*') ? value.slice(0, -1) : value;
    const prefix = value.includes('${') ? readVariable(start) : test === 'StringEquals' ? { prefix: start } : literalPrefix(start);
    if (prefix === undefined) return { fault: `\`s3:prefix\` \`${value}\` cannot be carried over: a wildcard stands at the end alone, and \`\${aws:username}\` between slashes at the end` };
    prefixes.push(prefix);
  }
  return { prefixes };
}

function entriesOf(value: unknown): (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
