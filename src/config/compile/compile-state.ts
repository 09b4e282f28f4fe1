import { resolve } from 'node:path';
import { compileClientTls, readable } from './compile-tls.ts';
import type { Faults, Warn } from '../read/fault.ts';
import { isLoopbackHost } from './origin.ts';
import type { Config } from '../schema/schema.ts';
import type { PostgresSettings, StateSettings } from '../read/settings.ts';

export type StateContext = {
  /** The base of relative paths. */ readonly directory: string;
  readonly faults: Faults;
  readonly warn: Warn;
};

const POSTGRES_URL = /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^/?#@]+)\/([^/?#]+)(?:\?([^#]*))?$/;
const DEFAULT_PORT = 5432;
const URL_PATH = 'state.url';
const EXAMPLE = '`postgresql://user@host:5432/database`';

export function compileState({ state }: Config, context: StateContext): StateSettings | undefined {
  const { directory, faults } = context;
  if (state === undefined) return undefined;
  const { path, url } = state;
  if (path === undefined && url === undefined)
    faults.add('state', 'needs `path`, a file for SQLite, or `url`, a PostgreSQL database');
  if (path !== undefined && url !== undefined)
    faults.add(URL_PATH, 'goes without `state.path`: the state is in one database', 'state.path');
  for (const member of ['password_file', 'tls'] as const)
    if (url === undefined && state[member] !== undefined)
      faults.add(`state.${member}`, 'goes with `state.url`', URL_PATH);
  if (url === undefined) return path === undefined ? undefined : { type: 'sqlite', path: resolve(directory, path) };
  return compilePostgres(state, url, context);
}

function compilePostgres(
  state: NonNullable<Config['state']>,
  url: string,
  { directory, faults, warn }: StateContext,
): PostgresSettings | undefined {
  const [, user = '', password = '', hosts = '', database = '', query = ''] = POSTGRES_URL.exec(url) ?? [];
  const servers = hosts.split(',').map(serverOf);
  const parts = [user, password, database].map(decoded);
  if (hosts === '' || user === '' || servers.includes(undefined) || parts.includes(undefined)) {
    faults.add(
      URL_PATH,
      `must be a URL such as ${EXAMPLE}; several servers are written with commas between them, and special characters percent-encoded`,
    );
    return undefined;
  }
  if (password !== '' && state.password_file !== undefined)
    faults.add('state.password_file', 'goes with a `state.url` that holds no password', URL_PATH);
  const wantsTls = wantsTlsBy(query, faults) || state.tls !== undefined;
  if (!wantsTls && !servers.every((server) => isLoopbackHost(server!.host)))
    warn('state.url', 'passwords and sessions cross the network as they are; set `state.tls`');
  return {
    type: 'postgres',
    servers: servers.map((server) => server!),
    user: parts[0]!,
    password: password === '' ? undefined : parts[1]!,
    passwordFile:
      state.password_file === undefined
        ? undefined
        : readable(resolve(directory, state.password_file), 'state.password_file', faults),
    database: parts[2]!,
    tls: wantsTls ? compileClientTls(state.tls, 'state.tls', directory, faults) : undefined,
    poolSize: state.pool_size,
    connectTimeoutMs: state.connect_timeout_seconds * 1000,
    statementTimeoutMs: state.statement_timeout_seconds * 1000,
  };
}

function serverOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, port = String(DEFAULT_PORT)] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  return host === undefined || Number(port) < 1 || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether the query of the URL asks for TLS. Certificates are always verified. */
function wantsTlsBy(query: string, faults: Faults): boolean {
  let wants = false;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'sslmode' && ['require', 'verify-ca', 'verify-full'].includes(value)) wants = true;
    else if (name === 'target_session_attrs' && ['primary', 'read-write'].includes(value)) continue;
    else if (name !== 'sslmode' || value !== 'disable')
      faults.add(
        URL_PATH,
        `\`${name}=${value}\` is not known here; there are \`sslmode=disable|require|verify-full\` and \`target_session_attrs=primary\``,
      );
  }
  return wants;
}
