import { execFile } from 'node:child_process';

/** The first descriptor that systemd hands over. */
const FIRST_FD = 3;

type Environment = Readonly<Record<string, string | undefined>>;

/** The listening socket that a supervisor hands over (socket activation): connections wait in it while one process ends and the next one starts. Undefined without one. */
export function inheritedSocket({ LISTEN_PID: pid, LISTEN_FDS: count }: Environment): number | undefined {
  return pid === String(process.pid) && Number(count) >= 1 ? FIRST_FD : undefined;
}

/** Tells systemd that the service is ready, and from then on that it is alive, as often as the unit's `WatchdogSec` asks for. A process whose event loop stands still tells nothing. */
export function tellSystemd({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdog }: Environment): void {
  if (socket === undefined) return;
  notify('--ready');
  const everyMs = Number(watchdog) / 2_000;
  if (everyMs > 0) setInterval(() => notify('WATCHDOG=1'), everyMs).unref();
}

/** Node has no datagrams of Unix sockets, so the program that comes with systemd sends them. The unit needs `NotifyAccess=all`. */
function notify(message: string): void {
  execFile('systemd-notify', [message], (error) => {
    if (error !== null) process.stderr.write(`systemd was not told \`${message}\`: ${error.message}\n`);
  });
}
