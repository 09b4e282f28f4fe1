import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { refuseOpen } from '../audit/chain-folder.ts';
import { SigningKey } from '../audit/signing-key.ts';
import { HttpTarget } from '../audit/sink/http-target.ts';
import { spooled, unsignedChains } from '../audit/sink/spool.ts';
import { SyslogTarget } from '../audit/sink/syslog-target.ts';
import { DeliveryError, reasonOf } from '../audit/sink/target.ts';
import type { AuditSettings, AuditSinkSettings } from '../config/read/settings.ts';
import { SvcError } from '../errors/svc-error.ts';
import { tlsFault } from '../errors/tls-fault.ts';
import { examineDisk } from './disk.ts';
import { Findings, type Finding } from './finding.ts';

/** Lines normally reach a sink within seconds. The alert on waiting lines uses the same duration. */
const LONG_MS = 600_000;
/** What to do about an answer's status. The probe sends no lines, and some sinks refuse that, as `NO_LINES` lists. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'check `headers`',
  403: 'check `headers`',
  404: 'check `url`',
  405: 'check `url`',
};
const TLS_SETTINGS = { authority: '`tls.ca_file`', address: '`url`' };
const NO_LINES: ReadonlySet<number> = new Set([400, 411, 422]);

/**
 * Examines the audit's folder, and for each sink whether it can be reached and which lines wait for it. Changes nothing, because the service may be writing to
 * the folder.
 */
export async function examineAudit(audit: AuditSettings, tell: (finding: Finding) => void): Promise<void> {
  const findings = new Findings('audit', tell);
  const keys = [new SigningKey(audit.signingSecret).publicKey, ...audit.formerKeys];
  const isThere = existsSync(audit.path);
  const isUsable = await findings.try(() => examineFolder(audit.path, isThere, findings));
  if (isUsable) examineDisk(existing(audit.path), 'changes are refused when it is full', findings);
  for (const sink of audit.sinks) {
    const ofSink = new Findings(`audit sink ${sink.name}`, tell);
    await examineSink(sink, ofSink);
    if (isUsable && isThere) await ofSink.try(() => examineSpool(audit.path, { sink: sink.name, keys }, ofSink));
  }
  if (isUsable && isThere)
    for (const name of unsignedChains(audit.path, keys))
      findings.fail(
        `\`${name}\` is not signed by \`signing_secret\`; set the secret it was created with, or add that secret's public key to \`former_keys\``,
      );
}

function examineFolder(path: string, isThere: boolean, findings: Findings): void {
  const folder = existing(path);
  if (isThere) refuseOpen(path, statSync(path));
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const detail = isThere
      ? `audit.path: \`${path}\` cannot be written to; let the service write to it`
      : `audit.path: \`${path}\` does not exist and cannot be created; create it, and let the service write to it`;
    throw new SvcError('audit_unavailable', { detail, cause });
  }
  findings.ok(isThere ? `${path} can be written to` : `${path} will be created at the first start`);
}

/** The folder, or its nearest ancestor that exists. */
function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path));
}

/** Sends an empty batch. Only the origin of the address is printed, because the rest may be secret. */
async function examineSink({ target: options, timeoutMs }: AuditSinkSettings, findings: Findings): Promise<void> {
  const target = options.type === 'http' ? new HttpTarget(options, timeoutMs) : new SyslogTarget(options, timeoutMs);
  const where =
    options.type === 'http'
      ? new URL(options.url).origin
      : `syslog+${options.tls === undefined ? 'tcp' : 'tls'}://${options.host}:${options.port}`;
  try {
    await target.send([], { instance: 'svc-doctor', first: 0, last: 0 });
    findings.ok(`${where} accepts what the service sends`);
  } catch (error) {
    const status = error instanceof DeliveryError ? error.status : undefined;
    if (status !== undefined && NO_LINES.has(status))
      findings.warn(
        `${where} answers with status ${status} to a body without lines, so it is not known whether it accepts lines`,
      );
    else if (status !== undefined)
      findings.fail(
        `${where} answers with status ${status}; ${status >= 300 && status < 400 ? 'redirects are not followed, so set `url` to where it leads' : (REMEDIES[status] ?? 'its own log says why')}`,
      );
    else
      findings.fail(
        `${where} ${tlsFault(String((error as { code?: unknown }).code), TLS_SETTINGS) ?? `cannot be reached: ${reasonOf(error as Error)}; check \`url\`, and that the receiver runs`}`,
      );
  } finally {
    await target.close();
  }
}

function examineSpool(
  root: string,
  { sink, keys }: { readonly sink: string; readonly keys: readonly string[] },
  findings: Findings,
): void {
  const { bytes, since } = spooled(root, sink, keys);
  const ms = since === undefined ? 0 : Math.max(0, Date.now() - since);
  if (bytes === 0) findings.ok('has every line');
  else if (ms < LONG_MS)
    findings.ok(`${bytes} bytes wait for it, the oldest line for ${Math.round(ms / 1_000)} seconds`);
  else
    findings.warn(
      `${bytes} bytes wait for it, the oldest line for ${Math.round(ms / 60_000)} minutes; the log of the service says why`,
    );
}
