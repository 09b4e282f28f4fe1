import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Faults } from './fault.ts';
import { joinPath, pointerNames, displayKey } from './key-path.ts';
import { put, repair } from './sample.ts';
import type { Config, TeamFileContent } from '../schema/schema.ts';
import { shapeMessage } from './shape-message.ts';
import { validatorOf } from './validators.ts';

/** How often the check is repeated: the first fault of a value may hide another, but never more than a few. */
const MAX_REPAIRS = 8;

/**
 * Checks the shape of a configuration and fills in defaults.
 *
 * A value of the wrong shape is reported and replaced by a harmless one, so that the checks between keys can run too.
 *
 * @param substituted - paths of values that came from outside: they are text, so numbers and booleans are parsed from them.
 * @returns undefined when the file contains no configuration at all.
 */
export function checkShape(value: unknown, substituted: ReadonlySet<string>, faults: Faults): Config | undefined {
  return checked(value, {
    validate: validatorOf('config'),
    substituted,
    faults,
    holds: 'holds no configuration: it must be a mapping with keys such as `providers`',
  }) as Config | undefined;
}

/** Checks the shape of a file of `policies_dir` in the same way. */
export function checkTeamFile(value: unknown, faults: Faults): TeamFileContent | undefined {
  return checked(value, {
    validate: validatorOf('teamFile'),
    substituted: new Set(),
    faults,
    holds: 'is no file of policies: it must be a mapping with `owner` and `policies`',
  }) as TeamFileContent | undefined;
}

type Check = {
  readonly validate: ValidateFunction;
  readonly substituted: ReadonlySet<string>;
  readonly faults: Faults;
  /** The message about a file that is not a mapping. */ readonly holds: string;
};

function checked(value: unknown, { validate, substituted, faults, holds }: Check): object | undefined {
  faults.leaveOutConsequences();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.add('', `the file ${holds}`);
    return undefined;
  }
  const root: object = value;
  if (validate(root)) return root;
  readTypes(root, validate.errors ?? [], substituted);
  for (let repairs = 0; repairs < MAX_REPAIRS; repairs++) {
    if (validate(root)) {
      faults.leaveOutConsequences();
      return root;
    }
    const errors = validate.errors ?? [];
    if (repairs === 0) report(errors, substituted, faults);
    repair(root, errors);
  }
  return undefined;
}

/** Reports only the first of several errors about one value. */
function report(errors: readonly ErrorObject[], substituted: ReadonlySet<string>, faults: Faults): void {
  const first = new Map<string, ErrorObject>();
  for (const error of errors) if (!first.has(pathOf(error))) first.set(pathOf(error), error);
  for (const [path, error] of first) faults.add(path, shapeMessage(error, substituted.has(path)));
}

/** Replaces substituted texts by the number or boolean that the schema requires, if they are one. */
function readTypes(root: object, errors: readonly ErrorObject[], substituted: ReadonlySet<string>): void {
  for (const { keyword, params, instancePath, data } of errors) {
    const names = pointerNames(instancePath);
    if (keyword !== 'type' || typeof data !== 'string' || !substituted.has(names.join('.'))) continue;
    const read = readAs((params as { type: string }).type, data);
    if (read !== undefined) put(root, names, read);
  }
}

function readAs(type: string, text: string): number | boolean | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  return (type === 'integer' || type === 'number') && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function pathOf({ keyword, instancePath, params }: ErrorObject): string {
  const path = pointerNames(instancePath).join('.');
  const named = params as { additionalProperty?: string; missingProperty?: string; tag?: string };
  if (keyword === 'additionalProperties') return joinPath(path, displayKey(named.additionalProperty ?? ''));
  if (keyword === 'required') return joinPath(path, named.missingProperty ?? '');
  return keyword === 'discriminator' ? joinPath(path, named.tag ?? '') : path;
}
