import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^svc-thumbnails-(\d+)-/;

/** Makes a folder for thumbnails that lasts as long as this process. Those of services that were killed, and could not delete theirs, are deleted. */
export async function temporaryFolder(parent: string): Promise<string> {
  const names = await readdir(parent).catch(() => []);
  await Promise.all(names.filter(isLeft).map((name) => removeOwn(join(parent, name))));
  return mkdtemp(join(parent, `svc-thumbnails-${process.pid}-`));
}

/** Whether the process that a folder belongs to is no more. In a container the next one may have its number. */
function isLeft(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1]);
  return pid === process.pid || (pid > 0 && !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function removeOwn(folder: string): Promise<void> {
  const { uid } = await lstat(folder).catch(() => ({ uid: undefined }));
  if (uid === process.getuid?.()) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
