import { createClient } from 'redis';
import { withDeadline } from '../bounds/deadline.ts';
import { lookup } from '../bounds/lookup.ts';

export type RedisServerOptions = {
  /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. With a Sentinel or a Cluster, several hosts separated by commas. */
  readonly url: string;
  /** All trusted certificates, in PEM. When left out, Node's own are trusted. */
  readonly ca?: readonly string[] | undefined;
  /** The service's client certificate, in PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Set when the hosts are Sentinels: the server's name, and the login at the Sentinels. */
  readonly sentinel?:
    { readonly name: string; readonly username: string | undefined; readonly password: string | undefined } | undefined;
  /** Whether the hosts are nodes of a Cluster. */
  readonly cluster?: boolean | undefined;
};

export type RedisClient = ReturnType<typeof newClient>;

type Address = { readonly host: string; readonly port: number };
type Login = {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database?: number | undefined;
};

const DEFAULT_PORT = 6379;
const URL_PARTS = /^(rediss?):\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?([^/?#@]+)\/?(\d+)?$/;
const CONNECT_MS = 2_000;
/** How long one Sentinel or node may take to tell where the server is. */
const LOCATE_MS = 1_000;
/** How many commands may wait for an answer. Further ones are refused, so that a Redis that does not answer cannot fill the memory. */
const MAX_WAITING_COMMANDS = 10_000;

/** In place of the number of the latest failover. */
const UNDER_WAY = 'under way';

/** The tag of all keys in a Cluster. It puts them on one node, so that several can be changed at once. */
const TAG = '{svc}';

/** Finds the server that accepts changes, and makes clients for it. */
export class RedisServers {
  readonly #options: RedisServerOptions;
  readonly #login: Login;
  readonly #isTls: boolean;
  /** The hosts that are asked for the server's address, beginning with the one that answered last. */
  #asked: readonly Address[];
  /** The server of the latest client. */
  #found: Address | undefined;

  constructor(options: RedisServerOptions) {
    this.#options = options;
    const [, scheme, username = '', password = '', hosts = '', database] = URL_PARTS.exec(options.url) ?? [];
    this.#isTls = scheme === 'rediss';
    this.#login = {
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
      database: database === undefined ? undefined : Number(database),
    };
    this.#asked = hosts.split(',').map(addressOf);
  }

  /** Makes a client that is not connected yet. */
  async client(): Promise<RedisClient> {
    this.#found = await this.#locate();
    return this.#clientOf(this.#found, this.#login);
  }

  /** Rejects when the client's server accepts no changes; a Sentinel may not know yet that another server took over. */
  async check(client: RedisClient): Promise<void> {
    if (this.#options.sentinel === undefined) return;
    const [role] = (await client.sendCommand(['ROLE'])) as unknown as [string];
    if (role !== 'master') throw new Error('READONLY the Sentinels name a replica');
  }

  /** Rejects when the Sentinels name another server than the latest client's. A server that was replaced may accept changes for some seconds more, and loses them. */
  async checkNamed(): Promise<void> {
    if (this.#options.sentinel === undefined) return;
    const { host, port } = await this.#locate().catch(() => this.#found!);
    if (host !== this.#found!.host || port !== this.#found!.port)
      throw new Error('REPLACED the Sentinels name another server');
  }

  /** Like `checkNamed`. Also rejects when a failover is under way, or when not all Sentinels know the latest one. */
  async checkLasting(): Promise<void> {
    const { sentinel } = this.#options;
    if (sentinel === undefined) return;
    const asked = await Promise.allSettled(
      this.#asked.map((address) => this.#ask(address, sentinel, (client) => failoverOf(client, sentinel.name))),
    );
    const failovers = new Set(asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])));
    if (failovers.size !== 1 || failovers.has(UNDER_WAY))
      throw new Error('the Sentinels do not agree which server it is');
    await this.checkNamed();
  }

  async #locate(): Promise<Address> {
    const { sentinel, cluster = false } = this.#options;
    if (sentinel === undefined && !cluster) return this.#asked[0]!;
    const faults: unknown[] = [];
    for (const address of this.#asked) {
      try {
        const found = await (sentinel === undefined
          ? this.#ask(address, this.#login, (client) => ownerOfTag(client, address))
          : this.#ask(address, sentinel, (client) => primaryOf(client, sentinel.name)));
        this.#asked = [address, ...this.#asked.filter((other) => other !== address)];
        return found;
      } catch (error) {
        faults.push(error);
      }
    }
    throw faults[0];
  }

  async #ask<T>(address: Address, login: Login, question: (client: RedisClient) => Promise<T>): Promise<T> {
    const client = this.#clientOf(address, { ...login, database: undefined });
    const failed = new Promise<never>((_, reject) => client.once('error', reject));
    client.on('error', () => undefined);
    try {
      const answer = client.connect().then(() => question(client));
      return await withDeadline(
        Promise.race([failed, answer]),
        LOCATE_MS,
        () => new Error(`${address.host}:${address.port} gave no answer within ${LOCATE_MS} ms`),
      );
    } finally {
      client.destroy();
    }
  }

  #clientOf(address: Address, login: Login): RedisClient {
    const { ca, cert, key } = this.#options;
    return newClient(
      address,
      login,
      this.#isTls
        ? {
            ...(ca !== undefined && { ca: [...ca] }),
            ...(cert !== undefined && { cert }),
            ...(key !== undefined && { key }),
          }
        : undefined,
    );
  }
}

/** The prefix of the names of all keys and channels. */
export function prefixIn({ cluster = false }: RedisServerOptions): string {
  return cluster ? `${TAG}:` : 'svc:';
}

/** The hosts of a URL, for messages. */
export function hostsOf(url: string): string {
  return URL_PARTS.exec(url)?.[4] ?? '';
}

function newClient(
  { host, port }: Address,
  { username, password, database }: Login,
  tls: { readonly ca?: string[]; readonly cert?: string; readonly key?: string } | undefined,
) {
  return createClient({
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    RESP: 2,
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_WAITING_COMMANDS,
    // The client's own deadline ends when a command is sent, so the caller sets another one.
    commandOptions: { timeout: 0 },
    socket: {
      host,
      port,
      lookup,
      connectTimeout: CONNECT_MS,
      reconnectStrategy: false,
      ...(tls !== undefined && { tls: true, ...tls }),
    },
  });
}

async function primaryOf(client: RedisClient, name: string): Promise<Address> {
  const answer = (await client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name])) as unknown as
    [string, string] | null;
  if (answer === null) throw new Error(`NOMASTER the Sentinels know no server \`${name}\``);
  return { host: answer[0], port: Number(answer[1]) };
}

/** The number of the latest failover, which is the same at each Sentinel that knows of it. */
async function failoverOf(client: RedisClient, name: string): Promise<string> {
  const fields = (await client.sendCommand(['SENTINEL', 'MASTER', name])) as unknown as readonly string[];
  const valueOf = (field: string) => fields[fields.indexOf(field) + 1] ?? '';
  return valueOf('flags').includes('failover_in_progress') ? UNDER_WAY : valueOf('config-epoch');
}

async function ownerOfTag(client: RedisClient, asked: Address): Promise<Address> {
  const slot = Number(await client.sendCommand(['CLUSTER', 'KEYSLOT', TAG]));
  const ranges = (await client.sendCommand(['CLUSTER', 'SLOTS'])) as unknown as [
    number,
    number,
    [string | null, number],
  ][];
  const owner = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2];
  if (owner === undefined) throw new Error('CLUSTERDOWN no node of the Cluster holds the keys of the service');
  // A node that does not know its own address leaves it out.
  return { host: owner[0] === null || owner[0] === '' ? asked.host : owner[0], port: owner[1] };
}

function addressOf(text: string): Address {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? '', port: Number(port ?? DEFAULT_PORT) };
}
