import type { Decision } from '../policy/model/decision.ts';
import type { Resource } from '../policy/model/resource.ts';
import { catalogue } from '../errors/catalogue.ts';
import { resourceText, type AuditResource } from './audit-resource.ts';
import type { OperationName } from './operations.ts';
import { operations } from './operations.ts';
import type { Audit, AuditRecord, Origin, Outcome, Person, ResourceOutcome, Who } from './record.ts';

const UNKNOWN: Who = { issuer: '', subject: '', name: '', via: 'unknown' };

type Step = AuditResource & Omit<ResourceOutcome, 'outcome'> & { readonly outcome?: 'done' | 'denied' | 'failed' };

/** Collects the audit record of one operation while it runs. */
export class Trail {
  readonly #audit: Audit;
  #operation: OperationName;
  readonly #origin: Origin;
  readonly #steps: Step[] = [];
  /** The index of each allowed resource in the steps, because a request may name a thousand resources and each may fail. */
  readonly #allowed = new Map<string, number>();
  /** The index of each resource that policy was not asked about. */
  readonly #mentioned = new Map<string, number>();
  #who = UNKNOWN;
  #why: string | undefined;
  readonly #since = performance.now();
  #bytes: number | undefined;
  #intent: number | undefined;
  #isIntended = false;
  #isWritten = false;

  constructor(audit: Audit, operation: OperationName, origin: Origin) {
    this.#audit = audit;
    this.#operation = operation;
    this.#origin = origin;
  }

  /** Begins the trail of a part of the operation, which has lines of its own. */
  part(): Trail {
    const part = new Trail(this.#audit, this.#operation, this.#origin);
    part.by(this.#who);
    return part;
  }

  by(who: Who): void {
    this.#who = who;
  }

  /** Records the request as another operation, which did less: for example `object/head` for a download of the headers alone. */
  isOnly(operation: OperationName): void {
    this.#operation = operation;
  }

  /** Records a decision of policy. */
  asked(action: string, resource: Resource, { allowed, reason, rule }: Decision): void {
    this.#audit.tally?.decided(action, allowed);
    const { kind: _kind, ...place } = resource;
    const text = resourceText(place);
    const step = { ...place, action, ...(rule === undefined ? {} : { rule: `${rule.policy} ${rule.rule}` }) };
    if (allowed && !this.#allowed.has(text)) this.#allowed.set(text, this.#steps.length);
    this.#steps.push(allowed ? step : { ...step, outcome: 'denied', why: reason });
  }

  /** Records a resource that policy is not asked about: a session, a key or a prefix. A second record of the same resource replaces the first. */
  about(resource: AuditResource, of?: Person): void {
    this.#mention({ ...resource, ...ownerIn(of) });
  }

  /** Records that the request is about one version of its object. */
  ofVersion(version: string | undefined): void {
    if (version === undefined) return;
    for (const [i, step] of this.#steps.entries()) if ('key' in step) this.#steps[i] = { ...step, version };
  }

  /** Records that something was done to a session or a key, so that it stays done when the operation fails on another one. */
  did(resource: AuditResource, of: Person): void {
    this.#mention({ ...resource, ...ownerIn(of), outcome: 'done' });
  }

  /** Records that a session that was to be ended had been ended by somebody else meanwhile. */
  wasGone(resource: AuditResource): void {
    this.#mention({ ...resource, outcome: 'failed', why: 'not_found' });
  }

  #mention(step: Step): void {
    const text = resourceText(step);
    const at = this.#mentioned.get(text) ?? this.#steps.length;
    this.#mentioned.set(text, at);
    this.#steps[at] = step;
  }

  /** Records that the operation failed on one resource and continued with the others. */
  failedAt(resource: Resource, why: string): void {
    const at = this.#allowed.get(resourceText(resource));
    if (at !== undefined) this.#steps[at] = { ...this.#steps[at]!, outcome: 'failed', why };
  }

  /** Records that the operation failed. The first reason stays, because later ones are consequences of it. */
  failed(why: string): void {
    this.#why ??= why;
  }

  /** Tells the tally that the operation has ended. */
  end(): void {
    this.#audit.tally?.ended(this.#operation, this.#why);
  }

  /** Counts bytes of content that were sent or received. */
  moved(bytes: number): void {
    this.#bytes = (this.#bytes ?? 0) + bytes;
  }

  /**
   * Checks whether the line can be written, after the caller is admitted and before anything is done.
   *
   * @throws {SvcError} `audit_unavailable`.
   */
  ready(): Promise<void> | undefined {
    const { kind } = operations[this.#operation];
    return kind === 'change' || this.#isDue() ? this.#audit.ready(kind) : undefined;
  }

  /**
   * Records a change before it begins, with the resources that are known by now.
   *
   * @throws {SvcError} `audit_unavailable`.
   */
  async intend(): Promise<void> {
    await this.ready();
    const resources = this.#steps.filter(({ outcome }) => outcome === undefined);
    this.#intent = await this.#audit.intend({ ...this.#origin, operation: this.#operation, who: this.#who, resources });
    this.#isIntended = true;
  }

  /**
   * Writes the line, once. A request without effect from somebody who is not known has no line, because anybody could fill the audit with such requests.
   *
   * @throws {SvcError} `audit_unavailable`.
   */
  write(): Promise<void> | undefined {
    if (this.#isWritten || this.#isOfStranger()) return undefined;
    this.#isWritten = true;
    const record = this.#record();
    return record.outcome !== 'done' || this.#isDue() ? this.#audit.write(record) : undefined;
  }

  #isOfStranger(): boolean {
    return this.#who.via === 'unknown' && this.#steps.length === 0 && !this.#isIntended;
  }

  /** Whether a successful operation has a line. Reads by strangers have none, because anybody could fill the audit with them. */
  #isDue(): boolean {
    const { kind } = operations[this.#operation];
    const { reads } = this.#audit;
    return (
      kind === 'change' ||
      (reads === 'all' && this.#who.via !== 'unknown') ||
      (reads === 'content' && kind === 'content')
    );
  }

  #record(): AuditRecord {
    const why = this.#why;
    const rest = why === undefined ? 'done' : isDenial(why) ? 'untouched' : 'failed';
    const resources = this.#steps.map((step): ResourceOutcome => ({ ...step, outcome: step.outcome ?? rest }));
    return {
      operation: this.#operation,
      outcome: why === undefined ? sumOf(resources) : isDenial(why) ? 'denied' : 'failed',
      who: this.#who,
      resources,
      why,
      bytes: this.#bytes,
      durationMs: Math.round((performance.now() - this.#since) * 1000) / 1000,
      intent: this.#intent,
      ...this.#origin,
    };
  }
}

function ownerIn(of: Person | undefined): Pick<Step, 'of'> {
  return of === undefined ? {} : { of: { issuer: of.issuer, subject: of.subject, name: of.name } };
}

/** Whether the reason is a refusal: each code with status 403 is one. */
function isDenial(why: string): boolean {
  return Object.hasOwn(catalogue, why) && catalogue[why as keyof typeof catalogue].status === 403;
}

function sumOf(resources: readonly ResourceOutcome[]): Outcome {
  const outcomes = new Set(resources.map(({ outcome }) => outcome));
  if (outcomes.has('done') || outcomes.size === 0) return outcomes.size > 1 ? 'partly' : 'done';
  return outcomes.has('failed') ? 'failed' : 'denied';
}
