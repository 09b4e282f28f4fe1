/** A stub of S3 that makes up the bytes of large objects, in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startStubStorage } from '../../tests/support/stub-storage.ts';
import { diesWithUs } from './dies-with-us.ts';

export type StubProcess = { readonly url: string; close(): void };

export async function startStubProcess(): Promise<StubProcess> {
  const child = fork(import.meta.filename, [], { execArgv: [] });
  diesWithUs(child);
  const [url] = (await once(child, 'message')) as [string];
  return { url, close: () => void child.kill('SIGKILL') };
}

if (process.send !== undefined && process.argv[1] === import.meta.filename)
  process.send((await startStubStorage()).url);
