import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import { NO_PROVIDER_NAME, PROVIDER_NAME } from '../policy/model/name.ts';
import { KEPT_TEXT, type WireSchema } from './schema.ts';

/** A fault in the input of a client. */
export type WireFault = { readonly path: string; readonly message: string };

/** Translates the path of an input member to its path in the request, such as `['limit']` to `['query', 'limit']`. */
export type Locate = (member: readonly string[]) => readonly string[];

/** A check stops at the first fault, because checking an input full of faults could take seconds and much memory. */
const ajv = new Ajv({ useDefaults: true, allErrors: false, strictTypes: false, meta: false, validateSchema: false });

/** The number of characters of an unknown name that a message repeats. */
const MAX_NAME_CHARACTERS = 100;

/**
 * Makes a function that validates a value, fills in defaults and returns the faults. The schema is compiled at the first use, so that the service starts
 * faster.
 */
export function compileFaults(schema: WireSchema): (value: unknown, locate: Locate) => WireFault[] {
  let validate: ValidateFunction | undefined;
  return (value, locate) => {
    validate ??= ajv.compile(schema as AnySchemaObject);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((fault) => ({ path: pathOf(fault, locate), message: messageOf(fault) }));
  };
}

/** The path of the wrong member. For a missing member, the path of the object that lacks it. */
function pathOf({ keyword, instancePath, params }: ErrorObject, locate: Locate): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword !== 'required') return locate(path).join('.');
  return locate([...path, String((params as { missingProperty?: unknown }).missingProperty)])
    .slice(0, -1)
    .join('.');
}

function messageOf(fault: ErrorObject): string {
  const params = fault.params as Record<string, unknown>;
  if (fault.keyword === 'additionalProperties')
    return `\`${String(params['additionalProperty']).slice(0, MAX_NAME_CHARACTERS)}\` is not known here`;
  if (fault.keyword === 'required') return `\`${String(params['missingProperty'])}\` is missing`;
  if (fault.keyword === 'enum')
    return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => `\`${String(value)}\``).join(', ')}`;
  if (fault.keyword === 'pattern' && params['pattern'] === PROVIDER_NAME) return NO_PROVIDER_NAME;
  if (params['pattern'] === KEPT_TEXT)
    return 'holds a character that cannot be kept, U+0000 or half of a surrogate pair; remove it';
  return fault.message ?? 'is not valid';
}
