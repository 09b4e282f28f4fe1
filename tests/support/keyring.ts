import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A desktop's session bus with a keyring that is unlocked, for as long as the machine's owner stays. */
export async function keyringOf(machine: {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<{ readonly address: string; close(): Promise<void> }> {
  const inside =
    'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat';
  const session = spawn('dbus-run-session', ['--', 'sh', '-c', inside], {
    env: { ...machine.env, XDG_RUNTIME_DIR: machine.home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const [address] = (await once(session.stdout.setEncoding('utf8'), 'data')) as [string];
  return {
    address: address.trim(),
    close: async () => {
      session.stdin.end();
      await once(session, 'close');
    },
  };
}
