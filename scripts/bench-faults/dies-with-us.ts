import type { ChildProcess } from 'node:child_process';

const children = new Set<ChildProcess>();

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Also when a fault is given up in the middle, no process of its stays. */
export function diesWithUs(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}
