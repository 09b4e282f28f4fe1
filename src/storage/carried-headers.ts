import { GetObjectTaggingCommand, HeadObjectCommand, type HeadObjectCommandOutput, type StorageClass } from '@aws-sdk/client-s3';
import { codeOf, SvcError } from '../errors/svc-error.ts';
import { ask } from './ask.ts';
import type { Abortable, ObjectRef, StorageProvider } from './provider.ts';
import { isFault } from './storage-error.ts';

/** Faults that say that storage knows no tags, or that this object has none. */
const NO_TAGS = ['NoSuchTagSet', 'NoSuchTagSetError', 'NotImplemented', 'MethodNotAllowed'];

/** The tags of an object, as the header of a write takes them; undefined when it has none. @throws {SvcError} also when the service may not read them. */
export async function tagsOf({ provider, bucket, key }: ObjectRef & { readonly provider: StorageProvider }, options: Abortable): Promise<string | undefined> {
  try {
    const { TagSet = [] } = await ask(provider, options, (send) => provider.client.send(new GetObjectTaggingCommand({ Bucket: bucket, Key: key }), send));
    if (TagSet.length === 0) return undefined;
    return TagSet.map(({ Key = '', Value = '' }) => `${encodeURIComponent(Key)}=${encodeURIComponent(Value)}`)
      .sort()
      .join('&');
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    if (codeOf(error) !== undefined && (NO_TAGS.some((name) => isFault(cause, name)) || isFault(cause, '', 501) || isFault(cause, '', 405))) return undefined;
    throw error;
  }
}

/** Further properties that storage keeps with an object, in addition to its {@link StoredHeaders}. */
export type CarriedHeaders = { readonly Tagging?: string; readonly Expires?: Date; readonly StorageClass?: StorageClass };

/** The properties that a copy has to set itself, because storage does not carry them. */
export function carriedHeadersOf({ ExpiresString, StorageClass }: HeadObjectCommandOutput, tags: string | undefined): CarriedHeaders {
  const expires = new Date(ExpiresString ?? '');
  return {
    ...(tags !== undefined && { Tagging: tags }),
    ...(!Number.isNaN(expires.getTime()) && { Expires: expires }),
    ...(StorageClass !== undefined && { StorageClass }),
  };
}

/** Checks that the target kept the carried properties. @throws {SvcError} `conflict`: storage stored the object without some of them. */
export async function requireCarried(to: ObjectRef & { readonly provider: StorageProvider }, { Tagging, Expires, StorageClass }: CarriedHeaders, options: Abortable): Promise<void> {
  const { provider, bucket, key } = to;
  const head = await ask(provider, options, (send) => provider.client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), send));
  const lost = [
    ...(Tagging !== undefined && Tagging !== (await tagsOf(to, options)) ? ['tags'] : []),
    ...(Expires !== undefined && Expires.getTime() !== Date.parse(head.ExpiresString ?? '') ? ['`Expires`'] : []),
    ...(StorageClass !== undefined && StorageClass !== head.StorageClass ? ['storage class'] : []),
  ];
  if (lost.length > 0) throw new SvcError('conflict', { detail: `storage provider \`${provider.name}\` did not keep its ${lost.join(' and ')}` });
}
