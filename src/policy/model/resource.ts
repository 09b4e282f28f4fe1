/** A resource is what a request asks about; a selector is what a rule names. All names are compared exactly. */

export type ProviderResource = { readonly kind: 'provider'; readonly provider: string };
export type BucketResource = { readonly kind: 'bucket'; readonly provider: string; readonly bucket: string };
export type ObjectResource = {
  readonly kind: 'object';
  readonly provider: string;
  readonly bucket: string;
  readonly key: string;
};
export type Resource = ProviderResource | BucketResource | ObjectResource;

/** A selector covers the resource that it names and everything beneath it. `prefix` compares the start of the key. */
export type Selector =
  | { readonly type: 'all' }
  | { readonly type: 'provider'; readonly provider: string }
  | { readonly type: 'bucket'; readonly provider: string; readonly bucket: string }
  | {
      readonly type: 'prefix';
      readonly provider: string;
      readonly bucket: string;
      readonly prefix: string;
      readonly each?: undefined;
    }
  | { readonly type: 'object'; readonly provider: string; readonly bucket: string; readonly key: string };

/** Covers the prefix followed by the person's subject, or by each of their groups, and a slash. */
export type EachSelector = {
  readonly type: 'prefix';
  readonly provider: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly each: 'subject' | 'group';
};

/** A selector as it is written in a rule; it may depend on the caller. `each.ts` resolves it before it is compiled. */
export type WrittenSelector = Selector | EachSelector;

/** The keys of a bucket that start with a prefix. */
export type KeysScope = { readonly provider: string; readonly bucket: string; readonly prefix: string };

/** The scope of the question "is anything allowed in here": a provider, a bucket, the keys that start with a prefix, or one key. */
export type Scope =
  | { readonly provider: string }
  | { readonly provider: string; readonly bucket: string }
  | KeysScope
  | { readonly provider: string; readonly bucket: string; readonly key: string };

export function providerResource(provider: string): ProviderResource {
  return { kind: 'provider', provider };
}

export function bucketResource(provider: string, bucket: string): BucketResource {
  return { kind: 'bucket', provider, bucket };
}

export function objectResource(provider: string, bucket: string, key: string): ObjectResource {
  return { kind: 'object', provider, bucket, key };
}

/** The resource as `provider/bucket/key`, to show to people. It cannot be parsed back. */
export function describeResource(resource: Resource): string {
  if (resource.kind === 'provider') return resource.provider;
  if (resource.kind === 'bucket') return `${resource.provider}/${resource.bucket}`;
  return `${resource.provider}/${resource.bucket}/${resource.key}`;
}
