import Type from 'typebox';
import { keyPrefix, object, oneOf, text } from './schema.ts';
import type { Selector } from '../policy/resource.ts';

/** Names in a selector. Their form is checked together with the rules. */
const provider = text('Name of a provider.', { maxLength: 63 });
const bucket = text('Name of a bucket.', { maxLength: 63 });
const type = <const T extends Selector['type']>(name: T) => oneOf([name]);

/** A resource selector. It covers the resource and everything beneath it; names are compared exactly. */
export const selector = Type.Unsafe<Selector>({
  oneOf: [
    object({ type: type('all') }),
    object({ type: type('provider'), provider }),
    object({ type: type('bucket'), provider, bucket }),
    object({ type: type('prefix'), provider, bucket, prefix: keyPrefix }),
    object({ type: type('object'), provider, bucket, key: keyPrefix }),
  ],
});
