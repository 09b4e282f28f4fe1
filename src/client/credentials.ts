import { join } from 'node:path';
import type { Environment } from '../config/read/substitute.ts';
import { openKeyring, type Keyring } from './keyring.ts';
import { PrivateFile } from './private-file.ts';
import { configFolder } from './user-folders.ts';

/** Where a credential was stored. */
export type Place = 'keyring' | 'file';

type Kept = { readonly credentials?: Readonly<Record<string, string>> };

/**
 * The session credentials of the user, by server, or by another name for a further session.
 *
 * They are stored in the operating system's keyring; without one, or with `SVC_KEYRING=off`, in a file of mode 0600.
 */
export class Credentials {
  readonly #env: Environment;
  readonly #file: PrivateFile<Kept>;
  #keyring: Promise<Keyring | undefined> | undefined;

  constructor(env: Environment) {
    this.#env = env;
    this.#file = new PrivateFile(join(configFolder(env), 'credentials.json'));
  }

  async read(server: string): Promise<string | undefined> {
    const inFile = (await this.#inFile())[server];
    if (inFile !== undefined) return inFile;
    return (await this.#openKeyring())?.read(server);
  }

  async write(server: string, credential: string): Promise<Place> {
    if (await this.writeToKeyring(server, credential)) return 'keyring';
    await this.writeToFile(server, credential);
    return 'file';
  }

  /** @returns false when there is no keyring, or it is locked. */
  async writeToKeyring(server: string, credential: string): Promise<boolean> {
    const keyring = await this.#openKeyring();
    if (keyring === undefined || !(await keyring.write(server, credential))) return false;
    await this.#removeFromFile(server);
    return true;
  }

  async writeToFile(server: string, credential: string): Promise<void> {
    await this.#file.write({ credentials: { ...(await this.#inFile()), [server]: credential } });
  }

  async remove(server: string): Promise<void> {
    await this.#removeFromFile(server);
    await (await this.#openKeyring())?.remove(server);
  }

  get filePath(): string {
    return this.#file.path;
  }

  async #removeFromFile(server: string): Promise<void> {
    const { [server]: removed, ...others } = await this.#inFile();
    if (removed !== undefined) await this.#file.write({ credentials: others });
  }

  async #inFile(): Promise<Readonly<Record<string, string>>> {
    return (await this.#file.read())?.credentials ?? {};
  }

  #openKeyring(): Promise<Keyring | undefined> {
    return (this.#keyring ??= openKeyring(this.#env));
  }
}
