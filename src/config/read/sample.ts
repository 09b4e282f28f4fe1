import type { ErrorObject } from 'ajv';
import { pointerNames } from './key-path.ts';

type Schema = {
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly examples?: readonly unknown[];
  readonly minItems?: number;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};

/** A value that the schema accepts: the default if there is one, otherwise the smallest. */
function sampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return structuredClone(schema.default);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.oneOf !== undefined) return sampleObject(schema.oneOf[0]!);
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    default:
      return sampleText(schema);
  }
}

function sampleText({ minLength = 0, pattern, examples = [] }: Schema): string {
  const sample = 'sample'.padEnd(minLength, '-');
  const [example] = examples;
  return pattern === undefined || typeof example !== 'string' || new RegExp(pattern, 'u').test(sample)
    ? sample
    : example;
}

function sampleObject({ required = [], properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

/**
 * Replaces wrong values by acceptable ones, so that the rest of the configuration can be checked too.
 *
 * Positions in lists stay the same, because messages name them. The result is used for messages only.
 */
export function repair(root: object, errors: readonly ErrorObject[]): void {
  for (const { keyword, params, instancePath, parentSchema } of errors) {
    const schema = parentSchema as Schema;
    const named = params as { additionalProperty?: string; missingProperty?: string };
    if (keyword === 'additionalProperties') remove(root, [...pointerNames(instancePath), named.additionalProperty!]);
    else if (keyword === 'required')
      put(
        root,
        [...pointerNames(instancePath), named.missingProperty!],
        sampleOf(schema.properties?.[named.missingProperty!] ?? {}),
      );
    else put(root, pointerNames(instancePath), sampleOf(schema));
  }
}

/** Sets the value at a path, if the path still exists. */
export function put(root: object, names: readonly string[], value: unknown): void {
  const parent = parentOf(root, names);
  if (parent !== undefined)
    Object.defineProperty(parent, names.at(-1)!, { value, enumerable: true, writable: true, configurable: true });
}

function remove(root: object, names: readonly string[]): void {
  const parent = parentOf(root, names);
  if (parent !== undefined) Reflect.deleteProperty(parent, names.at(-1)!);
}

function parentOf(root: object, names: readonly string[]): object | undefined {
  let at: unknown = root;
  for (const name of names.slice(0, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return typeof at === 'object' && at !== null && names.length > 0 ? at : undefined;
}
