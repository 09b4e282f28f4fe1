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
  /** Called for a message of the service on the socket. */
  readonly onMessage: (text: string) => void;
  /** Called when the socket's connection broke; it is being restored. */
  readonly onLost: () => void;
  /** Called when the session expired, was revoked, or was signed out. */
  readonly onEnded: () => void;
};

/** The answer of a server that is reachable. */
export type Found = {
  /** Undefined when nobody is signed in. */
  readonly principal: Principal | undefined;
  /** The server's version; undefined when nobody is signed in. */
  readonly version: string | undefined;
};

/** How long to wait for the service when signing out at the end. */
const LEAVE_MS = 2_000;

const NOBODY: Found = { principal: undefined, version: undefined };

/** The account at one server, kept by the main process: the credential, and the one socket that is opened with it. */
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

  /** Identifies the signed-in person; undefined when nobody is signed in. */
  get owner(): string | undefined {
    const { principal } = this;
    return principal && `${principal.issuer} ${principal.subject}`;
  }

  /**
   * Checks whether the stored credential is still valid.
   *
   * @throws {SvcError} {@link ClientFailure} when the server cannot be reached, or cannot answer now.
   */
  async find(): Promise<Found> {
    return this.#use(await this.profile.credential());
  }

  /** Begins a sign-in. The caller opens its URL in the system's browser, and closes it. */
  async beginSignIn(): Promise<DesktopSignIn> {
    const { server } = this.profile;
    if (!keepsSecrets(server))
      throw new ClientFailure(
        `signing in at ${server} would send the session unencrypted; give an \`https://\` address`,
        'usage',
      );
    return DesktopSignIn.begin(server, { place: 'the svc window', again: 'sign in again' });
  }

  /**
   * Uses a credential from a sign-in.
   *
   * @returns the result of {@link find}, and whether the credential was stored or the person has decided not to.
   */
  async signedIn(credential: string): Promise<Found & { readonly isKept: boolean }> {
    const found = await this.#use(credential);
    return { ...found, isKept: await this.profile.keep(credential) };
  }

  /**
   * Ends the session, locally even when the server does not answer.
   *
   * @returns the URL at which to end it at the provider too.
   */
  async signOut(): Promise<string | undefined> {
    const ended = await signOut(this.#connection);
    await this.#forget();
    return ended;
  }

  /** Called when the application ends. A session that is not stored ends with it. */
  async leave(): Promise<void> {
    this.close();
    if (this.#connection.credential === undefined || this.profile.isKept) return;
    await Promise.race([signOut(this.#connection).catch(() => undefined), wait(LEAVE_MS, undefined, { ref: false })]);
  }

  /** Sends a message on the socket. It waits while the connection is being made. */
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
      const [{ server }, principal] = await Promise.all([
        connection.call('initialize', {}),
        connection.call('session/get', {}),
      ]);
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
    // Deleting from a keyring may be slow, and the page should know at once.
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
