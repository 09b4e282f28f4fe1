import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PROGRAM = `
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(process.argv[1]);
  db.exec('BEGIN EXCLUSIVE');
  process.stdout.write('locked');
  process.stdin.on('end', () => { db.exec('COMMIT'); db.close(); }).resume();
`;

/** Locks the database from another process; the result lets go of it. */
export async function lockFromElsewhere(path: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['-e', PROGRAM, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}
