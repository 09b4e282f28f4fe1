import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '../errors/svc-error.ts';
import { Connection } from '../client/connection.ts';
import { DesktopSignIn } from '../client/desktop-sign-in.ts';
import { ClientFailure } from '../client/client-failure.ts';
import { keepsSecrets } from '../client/server-address.ts';
import { signOut } from '../client/sign-out.ts';
import type { RpcResult } from '../wire/rpc.ts';
import type { Profile } from './profile.ts';
import { ServiceSocket } from './service-socket.ts';

export type Principal = RpcResult<'session/get'>;

export type AccountEvents = {
  /** A message of the service on the socket. */
  readonly onMessage: (text: string) => void;
  /** The connection of the socket broke, and is being made again. */
  readonly onLost: () => void;
  /** The session expired, was revoked, or was signed out. */
  readonly onEnded: () => void;
};

/** What a server answers that is there. */
export type Found = {
  /** Undefined when nobody is signed in. */
  readonly principal: Principal | undefined;
  /** The server's version; undefined when nobody is signed in. */
  readonly version: string | undefined;
};

/** How long a service may take to hear that somebody leaves. */
const LEAVE_MS = 2_000;

const NOBODY: Found = { principal: undefined, version: undefined };

/** Who is signed in at one server, held by the main process: the credential, and the one socket that is opened with it. */
export class Account {
  readonly profile: Profile;
  readonly #events: AccountEvents;
  #connection: Connection;
  #socket: ServiceSocket | undefined;
  #found: Found = NOBODY;

  constructor(profile: Profile, events: AccountEvents) {
    this.profile = profile;
    this.#events = events;
    this.#connection = new Connection(profile.server, undefined);
  }

  /** The server, with the credential when somebody is signed in. */
  get connection(): Connection {
    return this.#connection;
  }

  get found(): Found {
    return this.#found;
  }

  get principal(): Principal | undefined {
    return this.#found.principal;
  }

  /** Tells whoever is signed in from every other person; undefined when nobody is. */
  get owner(): string | undefined {
    const { principal } = this;
    return principal && `${principal.issuer} ${principal.subject}`;
  }

  /** Looks whether the kept credential is still good. @throws {SvcError} {@link ClientFailure} the server cannot be reached, or cannot tell now. */
  async find(): Promise<Found> {
    return this.#use(await this.profile.credential());
  }

  /** Begins to sign in. The caller opens its address in the system's browser, and closes it. */
  async beginSignIn(): Promise<DesktopSignIn> {
    const { server } = this.profile;
    if (!keepsSecrets(server)) throw new ClientFailure(`signing in at ${server} would send the session unencrypted; give an \`https://\` address`, 'usage');
    return DesktopSignIn.begin(server, { place: 'the svc window', again: 'sign in again' });
  }

  /** Uses a credential that a sign-in has brought. @returns what {@link find} does, and whether it is known where the credential may be kept. */
  async signedIn(credential: string): Promise<Found & { readonly isKept: boolean }> {
    const found = await this.#use(credential);
    return { ...found, isKept: await this.profile.keep(credential) };
  }

  /** Ends the session, here even when the server does not answer. @returns where to end it at the provider too. */
  async signOut(): Promise<string | undefined> {
    const ended = await signOut(this.#connection);
    await this.#forget();
    return ended;
  }

  /** At the end of the run. A session that is kept nowhere ends with it. */
  async leave(): Promise<void> {
    this.close();
    if (this.#connection.credential === undefined || this.profile.isKept) return;
    await Promise.race([signOut(this.#connection).catch(() => undefined), wait(LEAVE_MS, undefined, { ref: false })]);
  }

  /** For a message on the socket; it waits while the connection is being made. */
  send(text: string): void {
    this.#socket?.send(text);
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #use(credential: string | undefined): Promise<Found> {
    const connection = new Connection(this.profile.server, credential);
    try {
      const [{ server }, principal] = await Promise.all([connection.call('initialize', {}), connection.call('session/get', {})]);
      this.close();
      this.#connection = connection;
      this.#found = { principal, version: server.version };
      this.#socket = new ServiceSocket(connection, { ...this.#events, onEnded: () => void this.#ended() });
      return this.#found;
    } catch (error) {
      if (codeOf(error) !== 'session_required') throw error;
      if (credential !== undefined) await this.#forget();
      return NOBODY;
    }
  }

  async #ended(): Promise<void> {
    // A keyring may be slow; the page is told at once.
    const forgotten = this.#forget();
    this.#events.onEnded();
    await forgotten;
  }

  #forget(): Promise<void> {
    this.close();
    this.#connection = new Connection(this.profile.server, undefined);
    this.#found = NOBODY;
    return this.profile.forget();
  }
}
