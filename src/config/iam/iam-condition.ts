import { literalPrefix, readVariable, type IamPrefix } from './iam-resource.ts';

/** The prefixes of a condition that rules can express: `ListBucket` for certain prefixes only. */
export type ConditionedPrefixes =
  | { readonly prefixes: readonly IamPrefix[]; readonly fault?: undefined }
  | { readonly fault: string; readonly prefixes?: undefined };

const REFUSAL =
  'conditions are not supported, except `StringEquals` or `StringLike` on `s3:prefix` in a statement that allows only `s3:ListBucket`; without its condition, the statement would have another meaning';

/**
 * Reads the condition of a statement that allows `s3:ListBucket`.
 *
 * Whoever may ask S3 for the keys with a prefix sees exactly the keys that begin with it. `objects:list` on the prefix gives the same. A deny is refused: S3
 * would still show the keys in a listing with a shorter prefix.
 */
export function readCondition(condition: unknown, effect: unknown, actions: readonly string[]): ConditionedPrefixes {
  const [operator, ...others] = entriesOf(condition);
  const [key, ...more] = entriesOf(operator?.[1]);
  const values = Array.isArray(key?.[1]) ? (key[1] as readonly unknown[]) : [key?.[1]];
  const isListing =
    effect === 'Allow' && actions.length > 0 && actions.every((action) => action.toLowerCase() === 's3:listbucket');
  const isPrefix =
    others.length === 0 &&
    more.length === 0 &&
    key?.[0].toLowerCase() === 's3:prefix' &&
    values.length > 0 &&
    values.every((value) => typeof value === 'string');
  const test = operator?.[0];
  if (!isListing || !isPrefix || (test !== 'StringEquals' && test !== 'StringLike')) return { fault: REFUSAL };
  const prefixes: IamPrefix[] = [];
  for (const value of values) {
    const start = test === 'StringLike' && value.endsWith('*') ? value.slice(0, -1) : value;
    const prefix = value.includes('${')
      ? readVariable(start)
      : test === 'StringEquals'
        ? { prefix: start }
        : literalPrefix(start);
    if (prefix === undefined)
      return {
        fault: `\`s3:prefix\` \`${value}\` is not supported: a wildcard is allowed only at the end, and \`\${aws:username}\` only as the last folder`,
      };
    prefixes.push(prefix);
  }
  return { prefixes };
}

function entriesOf(value: unknown): (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
