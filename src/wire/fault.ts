import { Ajv, type AnySchemaObject, type ErrorObject } from 'ajv';
import type { WireSchema } from './schema.ts';

/** One thing that is wrong with what a client sent. */
export type WireFault = { readonly path: string; readonly message: string };

/**
 * Path and query arrive as text, so numbers are read from it; bodies are taken as they are.
 *
 * A check ends at the first fault: looking for all of them in a body that consists of faults takes seconds, and the memory of the process.
 */
const textual = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: false, strictTypes: false });
const exact = new Ajv({ useDefaults: true, allErrors: false, strictTypes: false });

/** Of a name that is not ours, in a message. */
const MAX_NAME_CHARACTERS = 100;

/**
 * Compiles a schema to a check that fills in defaults and gives what is wrong.
 *
 * @param part - `path`, `query`, `body` or `params`: the first word of the path of each fault. The first two are read as text.
 */
export function compileFaults(schema: WireSchema, part: 'path' | 'query' | 'body' | 'params'): (value: unknown) => WireFault[] {
  const validate = (part === 'path' || part === 'query' ? textual : exact).compile(schema as AnySchemaObject);
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map((fault) => ({ path: (part + fault.instancePath).replaceAll('/', '.'), message: messageOf(fault) }));
  };
}

function messageOf(fault: ErrorObject): string {
  const params = fault.params as Record<string, unknown>;
  if (fault.keyword === 'additionalProperties') return `\`${String(params['additionalProperty']).slice(0, MAX_NAME_CHARACTERS)}\` is not known here`;
  if (fault.keyword === 'required') return `\`${String(params['missingProperty'])}\` is missing`;
  if (fault.keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => `\`${String(value)}\``).join(', ')}`;
  return fault.message ?? 'is not valid';
}
