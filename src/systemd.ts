import { execFile } from 'node:child_process';

/** The first file descriptor that systemd passes. */
const FIRST_FD = 3;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The listening socket that systemd passes (socket activation); undefined without one. New connections wait in it while one process ends and the next starts.
 */
export function inheritedSocket({ LISTEN_PID: pid, LISTEN_FDS: count }: Environment): number | undefined {
  return pid === String(process.pid) && Number(count) >= 1 ? FIRST_FD : undefined;
}

/**
 * Tells systemd that the service is ready, then twice per `WatchdogSec` of the unit that it is alive. A process whose event loop is blocked sends nothing.
 *
 * @param live - resolves when the other processes of the service are alive too.
 */
export function tellSystemd(
  { NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdog }: Environment,
  live: () => Promise<void> = async () => undefined,
): void {
  if (socket === undefined) return;
  notify('--ready');
  const everyMs = Number(watchdog) / 2_000;
  if (everyMs > 0) setInterval(() => void live().then(() => notify('WATCHDOG=1')), everyMs).unref();
}

/** Node cannot send datagrams to Unix sockets, so `systemd-notify` sends them. The unit needs `NotifyAccess=all`. */
function notify(message: string): void {
  execFile('systemd-notify', [message], (error) => {
    if (error !== null) process.stderr.write(`systemd was not told \`${message}\`: ${error.message}\n`);
  });
}
