import type { Environment } from '../config/read/substitute.ts';

/** The operating system's keyring. Its methods never throw: a locked or missing keyring behaves like an empty one. */
export type Keyring = {
  read(server: string): Promise<string | undefined>;
  /** @returns false when the credential could not be stored. */
  write(server: string, credential: string): Promise<boolean>;
  remove(server: string): Promise<void>;
};

const SERVICE = 'svc';

/** @returns undefined when there is none: it is turned off, Linux has no session bus, or the native module does not load. */
export async function openKeyring(env: Environment): Promise<Keyring | undefined> {
  if (env['SVC_KEYRING'] === 'off') return undefined;
  if (
    process.platform === 'linux' &&
    env['DBUS_SESSION_BUS_ADDRESS'] === undefined &&
    env['XDG_RUNTIME_DIR'] === undefined
  )
    return undefined;
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // Otherwise it would use the kernel's keyring, which is empty after a restart of the machine.
    const entryOf = (server: string) => new AsyncEntry(SERVICE, server, { linux: { store: 'secret-service' } });
    return {
      read: (server) => quietly(async () => (await entryOf(server).getPassword()) ?? undefined),
      write: async (server, credential) =>
        (await quietly(async () => {
          await entryOf(server).setPassword(credential);
          return true;
        })) ?? false,
      remove: async (server) => {
        await quietly(() => entryOf(server).deletePassword());
      },
    };
  } catch {
    return undefined;
  }
}

async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
