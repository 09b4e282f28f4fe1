import { SvcError } from '../errors/svc-error.ts';
import { tlsFault } from '../errors/tls-fault.ts';

const TLS_SETTINGS = { authority: '`state.tls.ca_file`', address: '`state.url`' };

/** Error codes of PostgreSQL and Node with their meaning. The text follows the name of the server in a sentence. */
const MEANINGS: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or password; check `state.url` and `state.password_file`',
  '28000': 'refuses the user on this connection; check `state.url`, `state.tls` and the `pg_hba.conf` of the server',
  '3D000': 'has no such database; create it, or check `state.url`',
  '42501': 'lets this user do too little; make the user owner of the database, or of a schema `svc` in it',
  '53100': 'is full; make room on its disk',
  '53300': 'has no connection left; raise its `max_connections`, or lower `state.pool_size`',
  '57014': 'did not answer within `state.statement_timeout_seconds`',
  '57P03': 'is starting up; try again in a moment',
  '25006': 'is a standby, which takes no changes; name the primary server, or all servers, in `state.url`',
  ECONNREFUSED: 'refuses the connection; check that it runs, and `state.url`',
  ENOTFOUND: 'has an address that is not known; check `state.url`',
  EAI_AGAIN: 'has an address that is not known; check `state.url`',
};

const NO_TLS = 'The server does not support SSL connections';

/** Says why PostgreSQL cannot be used and what to do. It names neither user nor password. */
export function postgresFault(server: string, fault: unknown): string {
  return `PostgreSQL at \`${server}\` ${meaningOf(fault)}`;
}

function meaningOf(fault: unknown): string {
  const texts: string[] = [];
  for (let inner = fault; typeof inner === 'object' && inner !== null; inner = (inner as Error).cause) {
    const { code, message } = inner as NodeJS.ErrnoException;
    if (code !== undefined) {
      const meaning = MEANINGS[code] ?? tlsFault(code, TLS_SETTINGS);
      if (meaning !== undefined) return meaning;
    }
    if (message === NO_TLS) return 'does not speak TLS; turn it on there, or take `state.tls` and `sslmode` away';
    texts.push(message);
  }
  return `cannot be used (${texts.at(-1) ?? 'no answer'})`;
}

/** `state_unavailable` for an error of PostgreSQL or of the connection; an {@link SvcError} is returned unchanged. */
export function stateUnavailable(error: unknown): unknown {
  if (error instanceof SvcError) return error;
  return new SvcError('state_unavailable', {
    detail: 'the state database gave no answer; try again in a moment',
    retryAfterSeconds: 2,
    cause: error,
  });
}

const DEADLOCK = '40P01';
const SERIALIZATION = '40001';
const DISK_FULL = '53100';

/** Whether nothing of the transaction has happened, and repeating it can help. */
export function canBeRepeated(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === DEADLOCK || code === SERIALIZATION;
}

/** Whether there is no room on the disk of the server. */
export function isFull(error: unknown): boolean {
  return sqlStateOf(error) === DISK_FULL;
}

/** Whether the server works and rejected this statement: an invalid value, an existing row, or a conflict with another transaction. */
export function isOfStatement(error: unknown): boolean {
  return /^(?:22|23|40)/.test(sqlStateOf(error) ?? '');
}

/** Whether the server accepts no changes, is stopping, or is gone, so that another one may be the primary by now. */
export function isElsewhere(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === undefined || /^(?:08|57P|25006)/.test(code);
}

/** The SQLSTATE of an error. Codes of Node, such as `EPIPE`, contain no digit. */
function sqlStateOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}
