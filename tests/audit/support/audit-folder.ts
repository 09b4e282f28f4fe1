import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuditStore, type AuditStoreOptions } from '../../../src/audit/audit-store.ts';
import { segmentFile, segmentsIn } from '../../../src/audit/chain-files.ts';
import type { AuditRecord, ResourceOutcome } from '../../../src/audit/record.ts';
import { SigningKey } from '../../../src/audit/signing-key.ts';
import { verifyAudit, type ChainReport } from '../../../src/audit/verify.ts';
import type { Witness } from '../../../src/audit/witnesses.ts';
import type { Logger } from '../../../src/log/logger.ts';

export const AUDIT_SECRET = 'a signing secret of the tests, long enough';
export const PUBLIC_KEY = new SigningKey(AUDIT_SECRET).publicKey;

export const quietLog: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** Opens an audit that keeps everything and has no sinks, unless the options say otherwise. */
export function openAudit(
  path: string,
  options: Partial<AuditStoreOptions> = {},
  { now = Date.now, log = quietLog }: { readonly now?: () => number; readonly log?: Logger } = {},
): Promise<AuditStore> {
  const settings = {
    path,
    instance: 'one',
    signingSecret: AUDIT_SECRET,
    formerKeys: [],
    segmentBytes: 65_536,
    retentionMs: undefined,
    reads: 'all',
    required: true,
    sinks: [],
    ...options,
  } as const;
  return AuditStore.open(settings, { log, now });
}

/** A folder of an audit, for one test or for a file of them. */
export class AuditFolder {
  readonly path = join(mkdtempSync(join(tmpdir(), 'svc-audit-')), 'audit');
  readonly chain = join(this.path, 'one');
  readonly #open: AuditStore[] = [];

  async open(
    options: Partial<AuditStoreOptions> = {},
    now: () => number = Date.now,
    log: Logger = quietLog,
  ): Promise<AuditStore> {
    const store = await openAudit(this.path, options, { now, log });
    this.#open.push(store);
    return store;
  }

  verify(witnesses?: ReadonlyMap<string, readonly Witness[]>): ChainReport[] {
    return verifyAudit(this.path, [PUBLIC_KEY], witnesses);
  }

  /** All lines of a chain, in order. */
  lines(chain = this.chain): string[] {
    return segmentsIn(chain).flatMap((segment) =>
      readFileSync(segmentFile(chain, segment), 'utf8').split('\n').slice(0, -1),
    );
  }

  async remove(): Promise<void> {
    for (const store of this.#open) await store.close().catch(() => undefined);
    rmSync(join(this.path, '..'), { recursive: true, force: true });
  }
}

const ADA = { issuer: 'https://login.example', subject: 'ada', name: 'Ada', via: 'web', credentialId: 'c1' } as const;

/** The record of a change of one object, which waits for its line. */
export function change(key: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    operation: 'object/write',
    outcome: 'done',
    who: ADA,
    why: undefined,
    bytes: 3,
    durationMs: 1.5,
    intent: undefined,
    requestId: `r-${key}`,
    address: '127.0.0.1',
    face: 'http',
    resources: [{ provider: 'main', bucket: 'files', key, action: 'objects:write', outcome: 'done', rule: 'team 0' }],
    ...more,
  };
}

/** An entry as earlier versions wrote it: with the name of its resource as one text. */
export function formerly(
  resource: string,
  rest: Pick<ResourceOutcome, 'action' | 'rule' | 'outcome'>,
): ResourceOutcome {
  return { resource, ...rest } as unknown as ResourceOutcome;
}

/** The record of what only reads. */
export function read(key: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return change(key, {
    operation: 'object/read',
    resources: [{ provider: 'main', bucket: 'files', key, action: 'objects:get', outcome: 'done', rule: 'team 1' }],
    ...more,
  });
}
