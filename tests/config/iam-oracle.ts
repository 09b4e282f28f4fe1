import type { AtomicAction } from '../../src/policy/model/action.ts';

export type SimpleStatement = {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
};
export type SimpleDocument = { readonly Version: '2012-10-17'; readonly Statement: readonly SimpleStatement[] };

/** What AWS calls each of our actions, and the ARN that it asks it on. */
const ASKED: Partial<Record<AtomicAction, readonly [action: string, arn: (bucket: string, key: string) => string]>> = {
  'providers:list': ['s3:ListAllMyBuckets', () => 'arn:aws:s3:::*'],
  'buckets:list': ['s3:ListAllMyBuckets', () => 'arn:aws:s3:::*'],
  'buckets:create': ['s3:CreateBucket', (bucket) => `arn:aws:s3:::${bucket}`],
  'buckets:delete': ['s3:DeleteBucket', (bucket) => `arn:aws:s3:::${bucket}`],
  'objects:list': ['s3:ListBucket', (bucket) => `arn:aws:s3:::${bucket}`],
  'objects:get': ['s3:GetObject', (bucket, key) => `arn:aws:s3:::${bucket}/${key}`],
  'objects:write': ['s3:PutObject', (bucket, key) => `arn:aws:s3:::${bucket}/${key}`],
  'objects:delete': ['s3:DeleteObject', (bucket, key) => `arn:aws:s3:::${bucket}/${key}`],
  'objects:versions': ['s3:GetObjectVersion', (bucket, key) => `arn:aws:s3:::${bucket}/${key}`],
  'objects:purge': ['s3:DeleteObjectVersion', (bucket, key) => `arn:aws:s3:::${bucket}/${key}`],
};

/** Answers as AWS would, statement by statement, by its own words only: an explicit deny, else an allow, else no. */
export function awsAllows({ Statement }: SimpleDocument, action: AtomicAction, bucket: string, key: string): boolean {
  const asked = ASKED[action];
  if (asked === undefined) return false;
  const effects = (name: string, arn: string) =>
    Statement.filter(
      (statement) =>
        listOf(statement.Action).some((pattern) => matches(pattern.toLowerCase(), name.toLowerCase())) &&
        listOf(statement.Resource).some((pattern) => matches(pattern, arn)),
    ).map(({ Effect }) => Effect);
  const [name, arn] = asked;
  const found = effects(name, arn(bucket, key));
  // Without listing the versions nobody would find one.
  const denies = action === 'objects:versions' ? effects('s3:ListBucketVersions', `arn:aws:s3:::${bucket}`) : [];
  return found.includes('Allow') && ![...found, ...denies].includes('Deny');
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function matches(pattern: string, text: string): boolean {
  const source = Array.from(pattern, (char) =>
    char === '*' ? '[\\s\\S]*' : char === '?' ? '[\\s\\S]' : char.replace(/[\\^$.|+()[\]{}]/, '\\$&'),
  ).join('');
  return new RegExp(`^${source}$`).test(text);
}
