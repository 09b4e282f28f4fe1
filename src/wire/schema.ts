import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { PROVIDER_NAME } from '../policy/model/name.ts';

/** A JSON Schema of a request or response. It validates and documents the content and, through {@link Wire}, gives its type. */
export type WireSchema = TSchema;

/** The TypeScript type of the values that a schema accepts. */
export type Wire<S extends WireSchema> = Static<S>;

type Notes = { readonly description?: string; readonly default?: unknown; readonly examples?: readonly unknown[] };

/** An object with only the given members. */
export function object<P extends TProperties>(properties: P, notes: Notes = {}) {
  return Type.Object(properties, { additionalProperties: false, ...notes });
}

/** An object with any members, at most `maxProperties`. */
export function anything(maxProperties: number) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true, maxProperties });
}

/** An object with any member names, whose values all have one schema. */
export function map<S extends TSchema>(values: S, notes: Notes & { readonly maxProperties?: number } = {}) {
  return Type.Unsafe<Readonly<Record<string, Static<S>>>>({ type: 'object', additionalProperties: values, ...notes });
}

export const optional = Type.Optional;

export function list<S extends TSchema>(
  items: S,
  bounds: Notes & { readonly minItems?: number; readonly maxItems?: number } = {},
) {
  return Type.Unsafe<readonly Static<S>[]>({ type: 'array', items, ...bounds });
}

/** Texts that every database keeps as they are: PostgreSQL has no U+0000, and UTF-8 has no half of a surrogate pair. */
export const KEPT_TEXT = '^[^\\u0000\\ud800-\\udfff]*$';

type TextBounds = Notes & { readonly minLength?: number; readonly maxLength?: number; readonly pattern?: string };

/** A text. In a request it needs a `maxLength`, and has to be a {@link KEPT_TEXT}: a test finds texts and lists of requests without a limit. */
export function text(description: string, bounds: TextBounds = {}) {
  return Type.String({ description, ...kept(bounds) });
}

export function textOrNull(description: string, bounds: TextBounds = {}) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], description, ...kept(bounds) });
}

/** A text with any characters, because its form is checked elsewhere: the key of an object, which may hold U+0000, and the parameters of a sign-in. */
export function anyText(description: string, bounds: TextBounds) {
  return Type.String({ description, ...bounds });
}

function kept(bounds: TextBounds): TextBounds {
  return bounds.maxLength === undefined ? bounds : { pattern: KEPT_TEXT, ...bounds };
}

export function integer(bounds: Notes & { readonly minimum?: number; readonly maximum?: number } = {}) {
  return Type.Integer(bounds);
}

export function number(notes: Notes = {}) {
  return Type.Number(notes);
}

export function boolean(notes: Notes = {}) {
  return Type.Boolean(notes);
}

export function anyOf<S extends TSchema>(schemas: readonly S[]) {
  return Type.Unsafe<Static<S>>({ anyOf: schemas });
}

export function orNull<S extends TSchema>(schema: S) {
  return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] });
}

export function oneOf<const V extends string>(values: readonly V[], notes: Notes = {}) {
  return Type.Unsafe<V>({ type: 'string', enum: values, ...notes });
}

/** A text in a response, without a limit. */
export const string = Type.String();
export const strings = list(string);
export const time = text('RFC 3339.');
export const timeOrNull = textOrNull('RFC 3339.');
export const nothing = object({});

export const MAX_KEY_CHARACTERS = 1_024;

/** The start of object keys; may be empty. */
export const keyPrefix = anyText('The beginning of object keys.', { maxLength: MAX_KEY_CHARACTERS });
/** An object key. Its length in bytes is checked when the resource is made. */
export const objectKey = anyText('Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.', {
  minLength: 1,
  maxLength: MAX_KEY_CHARACTERS,
});
export const bucketName = text('Bucket name.', { minLength: 3, maxLength: 63 });
export const providerName = text('Name of a configured storage provider.', { maxLength: 63, pattern: PROVIDER_NAME });

/** Input members that name a bucket or an object. */
export const inBucket = { provider: providerName, bucket: bucketName };
export const ofObject = { ...inBucket, key: objectKey };
