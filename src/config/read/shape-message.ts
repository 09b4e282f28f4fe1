import { isDeepStrictEqual } from 'node:util';
import type { ErrorObject } from 'ajv';
import { ACTION_NAMES } from '../../policy/model/action.ts';
import { didYouMean } from './nearest.ts';
import { displayKey } from './key-path.ts';

const KINDS: Readonly<Record<string, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: '`true` or `false`',
};

type Details = {
  readonly additionalProperty?: string;
  readonly type?: string | readonly string[];
  readonly allowedValues?: readonly unknown[];
  readonly allowedValue?: unknown;
  readonly limit?: number;
};

/**
 * Describes what is wrong with the shape of a value, without the value, which could be a secret.
 *
 * @param outside - whether the value came from outside.
 */
export function shapeMessage({ keyword, params, parentSchema, data }: ErrorObject, outside: boolean): string {
  const details = params as Details;
  const schema = parentSchema as {
    readonly properties?: object;
    readonly patternErrorMessage?: string;
    readonly oneOf?: readonly { properties: { type: { const: string } } }[];
  };
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(details.additionalProperty ?? '', Object.keys(schema.properties ?? {}));
    case 'required':
      return 'is missing';
    case 'type':
      return `must be ${[details.type ?? []]
        .flat()
        .map((type) => KINDS[type] ?? type)
        .join(' or ')}`;
    case 'enum':
      return isDeepStrictEqual(parentSchema?.['enum'], ACTION_NAMES)
        ? unknownAction(data, outside)
        : oneOf((details.allowedValues ?? []).map(String), data);
    case 'const':
      return oneOf([String(details.allowedValue)], data);
    case 'discriminator':
      return oneOf(
        (schema.oneOf ?? []).map(({ properties }) => properties.type.const),
        (data as { type?: unknown }).type,
      );
    case 'minLength':
    case 'minItems':
      return details.limit === 1 ? 'must not be empty' : `must have ${details.limit ?? ''} characters or more`;
    case 'maxLength':
      return `must have ${details.limit ?? ''} characters or fewer`;
    case 'maxItems':
      return `must have ${details.limit ?? ''} entries or fewer`;
    case 'minimum':
      return `must be ${details.limit ?? ''} or more`;
    case 'maximum':
      return `must be ${details.limit ?? ''} or less`;
    case 'exclusiveMinimum':
      return `must be more than ${details.limit ?? ''}`;
    case 'pattern':
      return schema.patternErrorMessage ?? 'is not valid';
    default:
      return 'is not valid';
  }
}

function unknownKey(name: string, known: readonly string[]): string {
  const displayName = displayKey(name);
  if (displayName !== name && known.includes(displayName.slice(0, -1)))
    return 'this key is not known here; a colon needs a space behind it';
  return `this key is not known here${didYouMean(name, known) || `; known are ${listed(known)}`}`;
}

function unknownAction(data: unknown, outside: boolean): string {
  if (typeof data !== 'string') return 'must be the name of an action';
  if (data.includes('*')) return 'there are no wildcards; name each action';
  return outside
    ? `no action has this name${didYouMean(data, ACTION_NAMES)}`
    : `no action is named \`${data}\`${didYouMean(data, ACTION_NAMES)}`;
}

function oneOf(allowed: readonly string[], data: unknown): string {
  return `must be ${allowed.map((value) => `\`${value}\``).join(' or ')}${typeof data === 'string' ? didYouMean(data, allowed) : ''}`;
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)!}`;
}
