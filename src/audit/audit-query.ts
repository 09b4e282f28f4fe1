import type { AtomicAction } from '../policy/model/action.ts';
import { LEFT_OUT, STEPS, type Only } from './operations.ts';
import { isAbout, type AuditedResource } from './audit-resource.ts';

/** A query of the audit. A line must match every member that is present. */
export type AuditQuestion = {
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  /** Exactly this provider, bucket or object. */
  readonly about?: { readonly provider: string; readonly bucket?: string; readonly key?: string } | undefined;
  /** The text of a resource, as administrators read it, compared exactly. */
  readonly resource?: string | undefined;
  /** The start of the text of a resource. */
  readonly prefix?: string | undefined;
  readonly operation?: string | undefined;
  readonly only?: Only | undefined;
  /** Leaves out what other people than this one did with `about`: their reads, or everything. */
  readonly without?:
    | {
        readonly othersThan: { readonly issuer: string; readonly subject: string };
        readonly what: 'reads' | 'everything';
      }
    | undefined;
  /** `unknown` is a change that was begun and whose end is not known. */
  readonly outcome?: string | undefined;
  /** Milliseconds since the epoch. `from` is inclusive, `to` exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

/** A line of an audit, with the name of its chain's folder. */
export type AuditLine = Readonly<Record<string, unknown>> & {
  readonly instance: string;
  readonly seq: number;
  readonly time: string;
  readonly kind: 'intent' | 'outcome';
  readonly operation: string;
  readonly outcome?: string;
  readonly issuer: string;
  readonly subject: string;
  readonly resources: readonly AuditedResource[];
};

export type AuditPage = {
  /** The latest lines first. */
  readonly lines: readonly AuditLine[];
  readonly nextCursor: string | null;
  /** False when the index does not contain all lines yet. */
  readonly complete: boolean;
};

/** The end of a page: the time of its last line in milliseconds, and the line's number in the index. */
export type LinePosition = { readonly time: number; readonly id: number };

export function cursorOf({ time, id }: LinePosition): string {
  return `${time}.${id}`;
}

/** Reads a cursor; undefined when it is not one. */
export function parseCursor(cursor: string): LinePosition | undefined {
  const [, time, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  return time === undefined || id === undefined ? undefined : { time: Number(time), id: Number(id) };
}

/** Whether a line matches the question. The index only proposes lines; the content of the line decides. */
export function matchesQuestion(
  line: AuditLine,
  { subject, issuer, about, resource, prefix, operation, only, without, outcome, from, to }: AuditQuestion,
): boolean {
  const time = Date.parse(line.time);
  return (
    (subject === undefined || line.subject === subject) &&
    (issuer === undefined || line.issuer === issuer) &&
    (operation === undefined || line.operation === operation) &&
    (only === undefined || !isLeftOut(line, only)) &&
    (outcome === undefined || outcomeOf(line) === outcome) &&
    (from === undefined || time >= from) &&
    (to === undefined || time < to) &&
    (about === undefined || line.resources.some((one) => isAbout(one, about))) &&
    (resource === undefined || line.resources.some((one) => one.resource === resource)) &&
    (prefix === undefined || line.resources.some((one) => one.resource.startsWith(prefix))) &&
    (without === undefined || isLeft(line, without, about))
  );
}

function isLeftOut(line: AuditLine, only: Only): boolean {
  const isStep = only === 'changes' && STEPS.has(line.operation) && outcomeOf(line) === 'done';
  return isStep || LEFT_OUT[only].has(line.operation);
}

/** Actions that change nothing of an object. */
const READS: ReadonlySet<string | undefined> = new Set<AtomicAction | undefined>([
  'objects:get',
  'objects:list',
  'objects:versions',
  undefined,
]);

function isLeft(
  { issuer, subject, resources }: AuditLine,
  { othersThan, what }: NonNullable<AuditQuestion['without']>,
  about: AuditQuestion['about'],
): boolean {
  if (issuer === othersThan.issuer && subject === othersThan.subject) return true;
  const isChange = (one: AuditedResource) => !READS.has(one.action) && (about === undefined || isAbout(one, about));
  return what === 'reads' && resources.some(isChange);
}

export function outcomeOf({ outcome = 'unknown' }: Pick<AuditLine, 'outcome'>): string {
  return outcome;
}
