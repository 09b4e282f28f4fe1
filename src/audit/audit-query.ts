/** What is asked of the audit. Every member that is there has to hold. */
export type AuditQuestion = {
  readonly subject?: string | undefined;
  readonly issuer?: string | undefined;
  /** `provider/bucket/key`, `session/ID` or `apiKey/ID`, to the letter. */
  readonly resource?: string | undefined;
  /** What one of the resources begins with. */
  readonly prefix?: string | undefined;
  readonly operation?: string | undefined;
  /** `unknown`: a change that was intended, and whose end nobody knows. */
  readonly outcome?: string | undefined;
  /** Milliseconds since the epoch: from the first, and before the second. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
};

/** A line of an audit, with the folder that it stands in. */
export type AuditLine = Readonly<Record<string, unknown>> & {
  readonly instance: string;
  readonly seq: number;
  readonly time: string;
  readonly kind: 'intent' | 'outcome';
  readonly operation: string;
  readonly outcome?: string;
  readonly issuer: string;
  readonly subject: string;
  readonly resources: readonly { readonly resource: string }[];
};

export type AuditPage = {
  /** The latest first. */
  readonly lines: readonly AuditLine[];
  readonly nextCursor: string | null;
  /** False while lines are there that the index does not hold yet. */
  readonly complete: boolean;
};

/** Where a page ended: milliseconds, and the number of the line in the index. */
export type Stop = { readonly time: number; readonly id: number };

export function cursorOf({ time, id }: Stop): string {
  return `${time}.${id}`;
}

/** Undefined for what is no cursor. */
export function stopIn(cursor: string): Stop | undefined {
  const [, time, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  return time === undefined || id === undefined ? undefined : { time: Number(time), id: Number(id) };
}

/** Whether a line is asked for. The index only proposes lines; what a line says decides. */
export function isAskedFor(line: AuditLine, { subject, issuer, resource, prefix, operation, outcome, from, to }: AuditQuestion): boolean {
  const time = Date.parse(line.time);
  return (
    (subject === undefined || line.subject === subject) &&
    (issuer === undefined || line.issuer === issuer) &&
    (operation === undefined || line.operation === operation) &&
    (outcome === undefined || outcomeOf(line) === outcome) &&
    (from === undefined || time >= from) &&
    (to === undefined || time < to) &&
    (resource === undefined || line.resources.some((one) => one.resource === resource)) &&
    (prefix === undefined || line.resources.some((one) => one.resource.startsWith(prefix)))
  );
}

export function outcomeOf({ outcome = 'unknown' }: Pick<AuditLine, 'outcome'>): string {
  return outcome;
}
