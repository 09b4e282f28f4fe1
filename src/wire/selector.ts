import Type from 'typebox';
import { keyPrefix, object, oneOf, optional, text } from './schema.ts';
import type { Selector, WrittenSelector } from '../policy/model/resource.ts';

/** Names in a selector. Their form is checked with the rules. */
const provider = text('Name of a provider.', { maxLength: 63 });
const bucket = text('Name of a bucket.', { maxLength: 63 });
const type = <const T extends Selector['type']>(name: T) => oneOf([name]);

const wide = [
  object({ type: type('all') }),
  object({ type: type('provider'), provider }),
  object({ type: type('bucket'), provider, bucket }),
];
const prefix = { type: type('prefix'), provider, bucket, prefix: keyPrefix };
const one = object({ type: type('object'), provider, bucket, key: keyPrefix });

/** A resource selector. It covers the resource and everything beneath it; names are compared exactly. */
export const selector = Type.Unsafe<Selector>({ oneOf: [...wide, object(prefix), one] });

/** A selector as written in a rule. With `each`, the prefix is followed by the person's subject or by each of their groups, and a slash. */
export const writtenSelector = Type.Unsafe<WrittenSelector>({
  oneOf: [...wide, object({ ...prefix, each: optional(oneOf(['subject', 'group'])) }), one],
});
