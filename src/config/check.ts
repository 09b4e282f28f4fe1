import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import type { Faults } from './fault.ts';
import { didYouMean } from './nearest.ts';
import { configSchema, type Config } from './schema.ts';

const validate = new Ajv({ allErrors: true, discriminator: true, useDefaults: true, strictTypes: false, strictSchema: false, verbose: true }).compile(configSchema as unknown as AnySchemaObject);

/**
 * Checks the shape of a configuration and fills in defaults.
 *
 * @param substituted - paths of values that came from outside: they arrive as text, so numbers and booleans are read from them.
 * @returns undefined when there are faults.
 */
export function checkShape(value: unknown, substituted: ReadonlySet<string>, faults: Faults): Config | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    faults.add('', 'the file holds no configuration: it must be a mapping with `providers`');
    return undefined;
  }
  if (validate(value)) return value as Config;
  if (readTypes(value, validate.errors ?? [], substituted) && validate(value)) return value as Config;
  for (const fault of withoutEchoes(validate.errors ?? [])) faults.add(pathOf(fault), messageOf(fault));
  return undefined;
}

/** Replaces substituted texts by the number or boolean that the schema wants, where they are one. */
function readTypes(root: object, errors: readonly ErrorObject[], substituted: ReadonlySet<string>): boolean {
  let changed = false;
  for (const { keyword, params, instancePath, data } of errors) {
    if (keyword !== 'type' || typeof data !== 'string' || !substituted.has(dotted(instancePath))) continue;
    const type = (params as { type: string }).type;
    const read = type === 'boolean' ? (data === 'true' ? true : data === 'false' ? false : undefined) : /^-?\d+(?:\.\d+)?$/.test(data) ? Number(data) : undefined;
    if (read === undefined) continue;
    put(root, instancePath, read);
    changed = true;
  }
  return changed;
}

function put(root: object, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split('/').map(unescapePointer);
  const last = names.pop();
  let at: unknown = root;
  for (const name of names) at = (at as Record<string, unknown>)[name];
  if (last !== undefined) (at as Record<string, unknown>)[last] = value;
}

/** `anyOf` fails once for each branch and once for itself; the branches say what is wrong. */
function withoutEchoes(errors: readonly ErrorObject[]): ErrorObject[] {
  return errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'if');
}

function unescapePointer(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function dotted(pointer: string): string {
  return pointer.slice(1).split('/').map(unescapePointer).join('.');
}

function pathOf({ keyword, instancePath, params }: ErrorObject): string {
  const path = dotted(instancePath);
  const named = params as { additionalProperty?: string; missingProperty?: string };
  const name = keyword === 'additionalProperties' ? named.additionalProperty : keyword === 'required' ? named.missingProperty : undefined;
  return name === undefined ? path : path === '' ? name : `${path}.${name}`;
}

function messageOf({ keyword, params, message, parentSchema, data }: ErrorObject): string {
  const given = params as Record<string, unknown>;
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys((parentSchema as { properties?: object }).properties ?? {});
      return `this key is not known here${didYouMean(String(given['additionalProperty']), known)}`;
    }
    case 'required':
      return 'is missing';
    case 'type':
      return `must be ${withArticle(String(given['type']))}`;
    case 'enum': {
      const allowed = (given['allowedValues'] as unknown[]).map(String);
      return `must be ${allowed.map((value) => `\`${value}\``).join(' or ')}${typeof data === 'string' ? didYouMean(data, allowed) : ''}`;
    }
    case 'minLength':
      return 'must not be empty';
    case 'minItems':
      return 'must not be an empty list';
    default:
      return message ?? 'is not valid';
  }
}

const NAMES: Readonly<Record<string, string>> = { object: 'a mapping', array: 'a list', string: 'a text', integer: 'a whole number', number: 'a number', boolean: '`true` or `false`' };

function withArticle(type: string): string {
  return NAMES[type] ?? type;
}
