import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Credentials } from '../client/credentials.ts';
import { PrivateFile } from '../client/private-file.ts';
import { stateFolder } from '../client/user-folders.ts';
import type { Environment } from '../config/read/substitute.ts';
import { digestOf } from '../secret/secret.ts';

/** The person's choice of where to keep a credential when the system has no keyring. */
export type Keeping = 'file' | 'this-run';

type Named = { readonly server: string; readonly account: string };
const NAME_FILE = 'account.json';

/** One account at one server: its credential, and the browser's folder for its window. */
export class Profile {
  readonly server: string;
  /** A name that the person chose to distinguish several accounts; empty for the first. */
  readonly account: string;
  readonly folder: string;
  readonly #credentials: Credentials;
  readonly #choice: PrivateFile<{ readonly keeping?: Keeping }>;
  /** Kept for this run only. */
  #inMemory: string | undefined;
  #isKept = false;
  #keeping: Keeping | undefined;

  constructor(env: Environment, server: string, account: string) {
    this.server = server;
    this.account = account;
    this.folder = join(stateFolder(env), 'desktop', digestOf(JSON.stringify([server, account])).slice(0, 16));
    this.#credentials = new Credentials(env);
    this.#choice = new PrivateFile(join(this.folder, 'keeping.json'));
  }

  /** Every account that this user has ever had in the application. */
  static async all(env: Environment): Promise<Profile[]> {
    const folder = join(stateFolder(env), 'desktop');
    const names = await readdir(folder).catch(() => []);
    const known = await Promise.all(names.map((name) => new PrivateFile<Named>(join(folder, name, NAME_FILE)).read()));
    return known.flatMap((one) => (one === undefined ? [] : [new Profile(env, one.server, one.account)]));
  }

  /** Stores the name of the account for {@link all}. */
  async note(): Promise<void> {
    await new PrivateFile<Named>(join(this.folder, NAME_FILE)).write({ server: this.server, account: this.account });
  }

  /** The folder in which the browser stores the data of its pages. It never contains a credential. */
  get browserFolder(): string {
    return join(this.folder, 'browser');
  }

  /** Whether the next start finds the credential. */
  get isKept(): boolean {
    return this.#isKept;
  }

  async credential(): Promise<string | undefined> {
    if (this.#inMemory !== undefined) return this.#inMemory;
    const kept = await this.#credentials.read(this.#key);
    this.#isKept = kept !== undefined;
    return kept;
  }

  /** @returns false when the system has no keyring, and the person has not decided yet where to keep the credential. */
  async keep(credential: string): Promise<boolean> {
    this.#inMemory = credential;
    this.#isKept = await this.#credentials.writeToKeyring(this.#key, credential);
    if (this.#isKept) return true;
    this.#keeping ??= (await this.#choice.read())?.keeping;
    if (this.#keeping === 'file') await this.#writeToFile(credential);
    return this.#keeping !== undefined;
  }

  /** Stores the decision for later sign-ins. The decision to keep nothing lasts for this run only. */
  async keepIn(keeping: Keeping): Promise<void> {
    this.#keeping = keeping;
    if (keeping === 'this-run' || this.#inMemory === undefined) return;
    await this.#choice.write({ keeping });
    await this.#writeToFile(this.#inMemory);
  }

  async #writeToFile(credential: string): Promise<void> {
    await this.#credentials.writeToFile(this.#key, credential);
    this.#isKept = true;
  }

  async forget(): Promise<void> {
    this.#inMemory = undefined;
    await this.#credentials.remove(this.#key);
  }

  get filePath(): string {
    return this.#credentials.filePath;
  }

  /** The name under which the credential is stored. It differs from the one of `svc login`, because each has its own session. */
  get #key(): string {
    return `${this.server} desktop ${this.account}`.trim();
  }
}
