/** The S3 resource that an IAM statement names. */
export type IamResource =
  /** Every bucket and every object: `*` and `arn:aws:s3:::*`. */
  | { readonly kind: 'everything' }
  /** Every object of every bucket: `arn:aws:s3:::*` + `/*`. */
  | { readonly kind: 'all_objects' }
  /** The bucket itself, without its objects. */
  | { readonly kind: 'bucket'; readonly bucket: string }
  | ({ readonly kind: 'prefix'; readonly bucket: string } & IamPrefix)
  | { readonly kind: 'object'; readonly bucket: string; readonly key: string };

/** The start of keys. With `each` it is followed by the name of the user and a slash. */
export type IamPrefix = { readonly prefix: string; readonly each?: 'subject' };

export type ResourceRefusal = { readonly code: ResourceCode; readonly message: string };

export type ResourceCode =
  | 'resource_form'
  | 'resource_service'
  | 'partition'
  | 'region_or_account'
  | 'bucket_wildcard'
  | 'inner_wildcard'
  | 'variable';

const ARN = /^arn:([^:]*):([^:]*):([^:]*):([^:]*):(.+)$/s;
const WILDCARD = /[*?]/;

/** Whether the text could be a resource of any service. */
export function isArnOrStar(text: string): boolean {
  return text === '*' || /^arn:[a-z-]+:[a-z0-9-]+:[^:]*:[^:]*:./s.test(text);
}

/** Reads a resource that S3 actions are asked on. A resource that cannot be imported exactly is refused. */
export function readResource(text: string): IamResource | ResourceRefusal {
  if (text.includes('${')) return readWithVariable(text);
  if (text === '*') return { kind: 'everything' };
  const [, partition, service, region, account, name] = ARN.exec(text) ?? [];
  if (partition === undefined || service === undefined || name === undefined) {
    return {
      code: 'resource_form',
      message: `\`${text}\` is neither \`*\` nor an ARN such as \`arn:aws:s3:::bucket/*\``,
    };
  }
  if (partition !== 'aws')
    return { code: 'partition', message: `\`${text}\`: the partition must be \`aws\`, not \`${partition}\`` };
  if (service !== 's3')
    return {
      code: 'resource_service',
      message: `\`${text}\` is not an S3 resource; put the actions of other services into a statement of their own`,
    };
  if (region !== '' || account !== '')
    return {
      code: 'region_or_account',
      message: `\`${text}\` names a region or an account; buckets and objects have none: write \`arn:aws:s3:::bucket\``,
    };
  return readName(text, name);
}

/** Reads the folder of each user: `arn:aws:s3:::bucket/home/${aws:username}/*`. Other variables, and this one in other places, have no counterpart. */
function readWithVariable(text: string): IamResource | ResourceRefusal {
  const [, bucket, start] = /^arn:aws:s3:::([^/*?$]+)\/(.*)\*$/s.exec(text) ?? [];
  const prefix = start === undefined ? undefined : readVariable(start);
  if (bucket === undefined || prefix === undefined)
    return {
      code: 'variable',
      message: `\`${text}\` contains a policy variable; only the form \`arn:aws:s3:::bucket/folder/\${aws:username}/*\` is supported`,
    };
  return { kind: 'prefix', bucket, ...prefix };
}

/** Reads a prefix that ends with the user's name and a slash; undefined for any other prefix with a variable. */
export function readVariable(start: string): IamPrefix | undefined {
  const [, folder] = /^((?:[^$]*\/)?)\$\{aws:username\}\/$/is.exec(start) ?? [];
  const head = folder === undefined ? undefined : literalPrefix(folder);
  return head === undefined ? undefined : { ...head, each: 'subject' };
}

/** Reads a prefix without a wildcard. */
export function literalPrefix(start: string): IamPrefix | undefined {
  return WILDCARD.test(start) ? undefined : { prefix: start };
}

function readName(text: string, name: string): IamResource | ResourceRefusal {
  if (name === '*') return { kind: 'everything' };
  if (name === '*/*') return { kind: 'all_objects' };
  const slash = name.indexOf('/');
  const bucket = slash === -1 ? name : name.slice(0, slash);
  if (bucket === '') return { code: 'resource_form', message: `\`${text}\` names no bucket` };
  if (WILDCARD.test(bucket))
    return {
      code: 'bucket_wildcard',
      message: `\`${text}\` has a wildcard in the name of the bucket; write a statement for each bucket`,
    };
  if (slash === -1) return { kind: 'bucket', bucket };
  const key = name.slice(slash + 1);
  if (key === '')
    return {
      code: 'resource_form',
      message: `\`${text}\` names no object; write \`${text.slice(0, -1)}\` for the bucket, or \`${text}*\` for its objects`,
    };
  const start = key.endsWith('*') ? key.slice(0, -1) : key;
  if (WILDCARD.test(start))
    return {
      code: 'inner_wildcard',
      message: `\`${text}\` has a wildcard that is not at its end, which has no counterpart here`,
    };
  return key.endsWith('*') ? { kind: 'prefix', bucket, prefix: start } : { kind: 'object', bucket, key };
}
