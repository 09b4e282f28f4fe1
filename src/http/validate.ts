import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import { SvcError } from '../errors/svc-error.ts';
import type { WireSchema } from '../wire/schema.ts';

/** Path and query arrive as text, so numbers are read from it; bodies are taken as they are. */
const textual = new Ajv({ coerceTypes: true, useDefaults: true, allErrors: true, strictTypes: false });
const exact = new Ajv({ useDefaults: true, allErrors: true, strictTypes: false });

export type Check = (value: unknown) => void;

/**
 * Compiles a schema to a check that fills in defaults.
 *
 * @param part - `path`, `query` or `body`: the first word of the path of each fault.
 * @throws {SvcError} `invalid_request` with `errors: [{path, message}]`, from the check.
 */
export function compileCheck(schema: WireSchema, part: 'path' | 'query' | 'body'): Check {
  const validate: ValidateFunction = (part === 'body' ? exact : textual).compile(schema as AnySchemaObject);
  return (value) => {
    if (validate(value)) return;
    const errors = (validate.errors ?? []).slice(0, 20).map((fault) => ({ path: faultPath(part, fault), message: faultMessage(fault) }));
    const first = errors[0];
    throw new SvcError('invalid_request', {
      ...(first === undefined ? {} : { detail: `${first.path}: ${first.message}` }),
      members: { errors },
    });
  };
}

function faultPath(part: string, fault: ErrorObject): string {
  return (part + fault.instancePath).replaceAll('/', '.');
}

function faultMessage(fault: ErrorObject): string {
  const params = fault.params as Record<string, unknown>;
  if (fault.keyword === 'additionalProperties') return `\`${String(params['additionalProperty'])}\` is not known here`;
  if (fault.keyword === 'required') return `\`${String(params['missingProperty'])}\` is missing`;
  if (fault.keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => `\`${String(value)}\``).join(', ')}`;
  return fault.message ?? 'is not valid';
}
