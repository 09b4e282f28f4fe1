import type { Worker } from 'node:cluster';

/** Resolves with the way in which the process of a worker ends. */
export function endOf(worker: Worker): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  worker.once('exit', (code: number, signal: string | null) =>
    resolve(signal === null || signal === '' ? `with status ${code}` : `by ${signal}`),
  );
  // A process that could not be started has no exit. Otherwise, what cannot be sent to a worker that ends is of no use any more.
  worker.on('error', ({ message }) => worker.process.pid === undefined && resolve(`before its start: ${message}`));
  return promise;
}

/** Without a process id, the signal would go to the whole group of this process. */
export function kill({ process }: Worker): void {
  if (process.pid !== undefined) process.kill('SIGKILL');
}
