import { refuseFaults } from '../../access/invalid.ts';
import { compileFaults } from '../../wire/fault.ts';
import type { WireSchema } from '../../wire/schema.ts';

export type Check = (value: unknown) => void;

/** Compiles a check of one part of a request. The check throws `invalid_request` with `errors: [{path, message}]`. */
export function compileCheck(schema: WireSchema, part: 'path' | 'query' | 'body'): Check {
  const faultsOf = compileFaults(schema);
  return (value) => refuseFaults(faultsOf(value, (member) => [part, ...member]));
}
