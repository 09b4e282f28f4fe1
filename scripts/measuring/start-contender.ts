import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Starts a process of a benchmark.
 *
 * @param file - beneath `scripts`.
 * @param children - takes the process, to be ended with the others.
 * @returns what the process told first, and the process.
 */
export async function startContender<Ready extends object>(
  file: string,
  args: readonly string[],
  children: ChildProcess[],
  env = process.env,
): Promise<Ready & { readonly child: ChildProcess }> {
  const child = fork(join(import.meta.dirname, '..', file), args, { execArgv: [], env });
  children.push(child);
  const [ready] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${file} ${args.join(' ')} did not start`))),
  ])) as [Ready];
  return { ...ready, child };
}
