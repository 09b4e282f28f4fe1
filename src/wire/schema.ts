import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/** A JSON Schema literal: it validates, documents and, through {@link Wire}, types what travels. */
export type WireSchema = JSONSchema & object;

/** The TypeScript type of what a schema accepts. */
export type Wire<S extends WireSchema> = FromSchema<S>;

/** An object of the given members, all required except those named; no others allowed. */
export function object<const P extends Record<string, WireSchema>, const O extends keyof P & string = never>(properties: P, optional: readonly O[] = []) {
  const names = Object.keys(properties) as (keyof P & string)[];
  return {
    type: 'object',
    properties,
    required: names.filter((name) => !(optional as readonly string[]).includes(name)) as unknown as readonly Exclude<keyof P & string, O>[],
    additionalProperties: false,
  } as const;
}

/** Text of an answer. What a request brings is {@link text}, which has an end. */
export const string = { type: 'string' } as const;
export const boolean = { type: 'boolean' } as const;
export const strings = { type: 'array', items: string } as const;

const MAX_KEY_CHARACTERS = 1_024;

/** Text of a request. A test finds the texts and lists of requests that have no end. @param maxLength - in characters. */
export function text<const N extends number>(maxLength: N) {
  return { type: 'string', maxLength } as const;
}

/** The beginning of object keys; may be empty. */
export const keyPrefix = text(MAX_KEY_CHARACTERS);
/** An object key. Its length in bytes is checked where the resource is made. */
export const objectKey = { ...keyPrefix, minLength: 1, description: 'Object key: 1 to 1024 bytes of UTF-8, taken byte for byte.' } as const;
export const bucketName = { type: 'string', minLength: 3, maxLength: 63, description: 'Bucket name.' } as const;
export const providerName = { type: 'string', minLength: 1, maxLength: 63, description: 'Name of a configured storage provider.' } as const;
