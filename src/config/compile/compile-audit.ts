import { validateHeaderName, validateHeaderValue } from 'node:http';
import { resolve } from 'node:path';
import { compileClientTls } from './compile-tls.ts';
import type { Faults, Warn } from '../read/fault.ts';
import { addressFault, isLoopbackHost } from './origin.ts';
import { readPlace } from '../../policy/model/written-place.ts';
import type { Config } from '../schema/schema.ts';
import type { AuditSettings, AuditSinkSettings, ProxySettings } from '../read/settings.ts';

export type AuditContext = {
  /** The base of relative paths. */ readonly directory: string;
  readonly proxy: ProxySettings | undefined;
  readonly faults: Faults;
  readonly warn: Warn;
};

type Sink = NonNullable<Config['audit']>['sinks'][number];

const DAY_MS = 86_400_000;
const SYSLOG_URL = /^syslog\+(tcp|tls):\/\/(?:\[([0-9a-f:.]+)\]|([^:@/?#[\]\s]+))(?::(\d{1,5}))?\/?$/i;
/** RFC 5425 section 4.1, RFC 6587 section 5. */
const DEFAULT_PORTS = { tls: 6514, tcp: 601 };
/** RFC 5424 section 6.2.1; 13 is "log audit". */
const FACILITIES: Readonly<Record<Sink['facility'], number>> = {
  user: 1,
  daemon: 3,
  auth: 4,
  authpriv: 10,
  audit: 13,
  local0: 16,
  local1: 17,
  local2: 18,
  local3: 19,
  local4: 20,
  local5: 21,
  local6: 22,
  local7: 23,
};
/** Headers that the service sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'svc-audit-instance',
  'svc-audit-lines',
  'svc-audit-signature',
]);

export function compileAudit({ audit }: Config, context: AuditContext): AuditSettings | undefined {
  if (audit === undefined) return undefined;
  const {
    path,
    instance,
    signing_secret: signingSecret,
    former_keys: formerKeys,
    reads,
    activity,
    required,
    retention_days: days,
    segment_bytes: segmentBytes,
  } = audit;
  const names = new Set<string>();
  const sinks = audit.sinks.flatMap((sink, i) => {
    const at = `audit.sinks.${i}`;
    if (names.has(sink.name)) context.faults.add(`${at}.name`, `another sink is named \`${sink.name}\` already`);
    names.add(sink.name);
    for (const [j, place] of (sink.only?.places ?? []).entries()) {
      const read = readPlace(place);
      if ('fault' in read) context.faults.add(`${at}.only.places.${j}`, read.fault);
    }
    const target = /^syslog/i.test(sink.url) ? compileSyslog(sink, at, context) : compileHttp(sink, at, context);
    return target === undefined
      ? []
      : [
          {
            name: sink.name,
            target,
            timeoutMs: sink.timeout_seconds * 1_000,
            spoolBytes: sink.spool_bytes,
            only: sink.only,
          },
        ];
  });
  return {
    path: resolve(context.directory, path),
    instance,
    signingSecret,
    formerKeys,
    reads,
    activity,
    required,
    retentionMs: days === undefined ? undefined : days * DAY_MS,
    segmentBytes,
    sinks,
  };
}

function compileSyslog(
  { url, headers, signing_secret: signingSecret, tls, facility }: Sink,
  at: string,
  { directory, faults, warn }: AuditContext,
): AuditSinkSettings['target'] | undefined {
  const [, scheme, bracketed, plain, port] = SYSLOG_URL.exec(url) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) {
    faults.add(
      `${at}.url`,
      'must be a URL such as `syslog+tls://logs.example.com:6514` or `syslog+tcp://127.0.0.1:601`',
    );
    return undefined;
  }
  if (headers.length > 0) faults.add(`${at}.headers`, 'go with a `url` of `https` or `http`', `${at}.url`);
  if (signingSecret !== undefined)
    faults.add(`${at}.signing_secret`, 'goes with a `url` of `https` or `http`', `${at}.url`);
  const isSecure = scheme?.toLowerCase() === 'tls';
  if (!isSecure && tls !== undefined) faults.add(`${at}.tls`, 'goes with `syslog+tls`', `${at}.url`);
  if (!isSecure && !isLoopbackHost(host)) warnOfPlain(`${at}.url`, warn);
  return {
    type: 'syslog',
    host,
    port: Number(port ?? DEFAULT_PORTS[isSecure ? 'tls' : 'tcp']),
    tls: isSecure ? compileClientTls(tls, `${at}.tls`, directory, faults) : undefined,
    facility: FACILITIES[facility],
  };
}

function compileHttp(
  { url, headers, signing_secret: signingSecret, tls }: Sink,
  at: string,
  { directory, proxy, faults, warn }: AuditContext,
): AuditSinkSettings['target'] | undefined {
  const fault = addressFault(url);
  if (fault !== undefined) {
    faults.add(`${at}.url`, fault);
    return undefined;
  }
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))) warnOfPlain(`${at}.url`, warn);
  headers.forEach(({ name, value }, i) => {
    const headerFault = faultOfHeader(name, value);
    if (headerFault !== undefined) faults.add(`${at}.headers.${i}.${headerFault.member}`, headerFault.message);
  });
  return {
    type: 'http',
    url,
    signingSecret,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])),
    tls: compileClientTls(tls, `${at}.tls`, directory, faults),
    proxy,
  };
}

/** Messages never repeat the value, because it may be secret. */
function faultOfHeader(
  name: string,
  value: string,
): { readonly member: 'name' | 'value'; readonly message: string } | undefined {
  try {
    validateHeaderName(name);
  } catch {
    return { member: 'name', message: 'is not the name of a header' };
  }
  if (OWN_HEADERS.has(name.toLowerCase()))
    return { member: 'name', message: 'is a header that the service sets itself' };
  try {
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    return { member: 'value', message: 'holds a character that a header cannot have, such as the end of a line' };
  }
}

function warnOfPlain(path: string, warn: Warn): void {
  warn(path, 'names of people and objects cross the network as they are, and headers too; use `https` or `syslog+tls`');
}
