import { permits } from '../access/authorize.ts';
import { personIdOf } from '../access/caller.ts';
import { invalidRequest, UNKNOWN_CURSOR } from '../access/invalid.ts';
import { isAbout } from '../audit/audit-resource.ts';
import { outcomeOf, parseCursor, type AuditLine, type AuditPage, type AuditQuestion } from '../audit/audit-query.ts';
import { isChange } from '../audit/operations.ts';
import { SvcError } from '../errors/svc-error.ts';
import type { ObjectResource } from '../policy/model/resource.ts';
import { bucketTarget, providerTarget, type Targets } from '../access/target.ts';
import type { AuditLineWire } from '../wire/audit.ts';
import { parseTimestamp } from './parse-timestamp.ts';
import { operation, type Performance } from './operation.ts';
import type { Services } from './services.ts';

/** The default number of lines in an answer. */
const LINES = 200;

export const listAudit = operation({
  name: 'audit/list',
  access: { kind: 'admin' },
  run: async ({
    input: { provider, bucket, key, from, to, ...asked },
    services: { targets, ...services },
    caller,
    signal,
  }) => {
    const about = aboutOf({ provider, bucket, key }, targets);
    const { lines, ...page } = await ask(
      { ...services, caller, signal },
      { ...asked, about, from: momentOf(from, 'from'), to: momentOf(to, 'to') },
    );
    return {
      ...page,
      lines: lines.map(
        ({ kind: _kind, prev: _prev, intent: _intent, ...line }) =>
          ({ ...line, outcome: outcomeOf(line), changes: isChange(line.operation) }) as unknown as AuditLineWire,
      ),
    };
  },
});

export const listSinks = operation({
  name: 'audit/sinks',
  access: { kind: 'admin' },
  run: ({ services: { auditStore } }) => {
    if (auditStore === undefined) throw noAudit();
    const sinks = auditStore.sinks().map(({ isFailing, sentAt, failures, only, ...sink }) => ({
      ...sink,
      operations: only?.operations ?? null,
      outcomes: only?.outcomes ?? null,
      places: only?.places ?? null,
      failing: isFailing,
      lastSentAt: sentAt === undefined ? null : timestampOf(sentAt),
      failures: failures.map(({ at, why }) => ({ at: timestampOf(at), why })),
    }));
    return { instance: auditStore.instance, sinks };
  },
});

const timestampOf = (at: number): string => new Date(at).toISOString();

/** Whoever may read an object learns what happened to it, of other people as far as `audit.activity` allows. The lines reveal no other objects of the same requests, no addresses and no sessions, and versions only to whoever may see them. */
export const listActivity = operation({
  name: 'object/activity',
  access: {
    kind: 'policy',
    asks: ({ provider, bucket, key }, at) =>
      [{ action: 'objects:get', resource: at.object(provider, bucket, key) }] as const,
  },
  run: async ({ targets: [target], input: { cursor, limit }, services, caller, signal }) => {
    const { activity } = services;
    const what = activity === 'off' ? ('everything' as const) : ('reads' as const);
    const without = caller.isAdmin || activity === 'all' ? undefined : { othersThan: caller.identity, what };
    const { lines, ...page } = await ask({ ...services, caller, signal }, { about: target, without, cursor, limit });
    const seesVersions = permits(caller, 'objects:versions', target);
    return { ...page, othersSee: activity, lines: lines.map((line) => activityOf(line, target, seesVersions)) };
  },
});

/** @throws {SvcError} `invalid_request`: a bucket without its provider, or a key without its bucket. */
function aboutOf(
  { provider, bucket, key }: Record<'provider' | 'bucket' | 'key', string | undefined>,
  at: Targets,
): AuditQuestion['about'] {
  if (provider === undefined && bucket === undefined && key === undefined) return undefined;
  if (provider === undefined) throw invalidRequest({ path: 'provider', message: 'is needed with `bucket` or `key`' });
  if (bucket === undefined && key !== undefined)
    throw invalidRequest({ path: 'bucket', message: 'is needed with `key`' });
  if (bucket === undefined) return providerTarget(provider);
  return key === undefined ? bucketTarget(provider, bucket) : at.object(provider, bucket, key);
}

type Asker = Pick<Services, 'audit'> & Pick<Performance<unknown>, 'caller' | 'signal'>;

async function ask(
  { audit, caller, signal }: Asker,
  { limit = LINES, ...question }: Omit<AuditQuestion, 'limit'> & { readonly limit?: number | undefined },
): Promise<AuditPage> {
  if (audit === undefined) throw noAudit();
  if (question.cursor !== undefined && parseCursor(question.cursor) === undefined) throw invalidRequest(UNKNOWN_CURSOR);
  return audit.ask({ ...question, limit }, { person: personIdOf(caller), signal });
}

function noAudit(): SvcError {
  return new SvcError('not_found', {
    detail: 'this service writes its audit only to the log; set `audit.path` to query it here',
  });
}

function activityOf(line: AuditLine, object: ObjectResource, seesVersions: boolean) {
  const { time, operation, why: whole, issuer, subject, name, via, resources } = line as unknown as AuditLineWire;
  const about = resources.find((one) => isAbout(one, object));
  const outcome = about?.outcome ?? ('unknown' as const);
  const why = about?.why ?? (outcome === 'failed' ? whole : undefined);
  return {
    time,
    operation,
    ...(operation === 'object/copy' && { move: resources.some(({ action }) => action === 'objects:delete') }),
    outcome: outcome === 'untouched' ? ('denied' as const) : outcome,
    ...(why !== undefined && { why }),
    ...(about?.action !== undefined && { action: about.action }),
    ...(about?.version !== undefined && seesVersions && { version: about.version }),
    issuer,
    subject,
    name,
    via,
  };
}

function momentOf(text: string | undefined, path: string): number | undefined {
  if (text === undefined) return undefined;
  const moment = parseTimestamp(text);
  if (moment === undefined) throw invalidRequest({ path, message: 'is no time such as `2026-05-04T08:00:00Z`' });
  return moment;
}
