import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import type { WireSchema } from './schema.ts';

/** One thing that is wrong with what a client sent. */
export type WireFault = { readonly path: string; readonly message: string };

/** Where a member of the input stood in what the client sent, such as `['query', 'limit']` for `['limit']`. */
export type Locate = (member: readonly string[]) => readonly string[];

/** A check ends at the first fault, because an input full of faults would take seconds and much memory to check completely. */
const ajv = new Ajv({ useDefaults: true, allErrors: false, strictTypes: false, meta: false, validateSchema: false });

/** How much of an unknown name a message repeats. */
const MAX_NAME_CHARACTERS = 100;

/** A check of the schema, which fills in defaults and returns the faults. It is compiled when it is first used, so that the service starts without waiting for all of them. */
export function compileFaults(schema: WireSchema): (value: unknown, locate: Locate) => WireFault[] {
  let validate: ValidateFunction | undefined;
  return (value, locate) => {
    validate ??= ajv.compile(schema as AnySchemaObject);
    if (validate(value)) return [];
    return (validate.errors ?? []).map((fault) => ({ path: pathOf(fault, locate), message: messageOf(fault) }));
  };
}

/** The path of the member that is wrong. For a missing member it is the path of the object that lacks it. */
function pathOf({ keyword, instancePath, params }: ErrorObject, locate: Locate): string {
  const path = instancePath.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword !== 'required') return locate(path).join('.');
  return locate([...path, String((params as { missingProperty?: unknown }).missingProperty)]).slice(0, -1).join('.');
}

function messageOf(fault: ErrorObject): string {
  const params = fault.params as Record<string, unknown>;
  if (fault.keyword === 'additionalProperties') return `\`${String(params['additionalProperty']).slice(0, MAX_NAME_CHARACTERS)}\` is not known here`;
  if (fault.keyword === 'required') return `\`${String(params['missingProperty'])}\` is missing`;
  if (fault.keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => `\`${String(value)}\``).join(', ')}`;
  return fault.message ?? 'is not valid';
}
