import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^svc-thumbnails-(\d+)-/;

/** Makes a temporary folder for the thumbnails of this process, and deletes the folders of processes that were killed. */
export async function temporaryFolder(parent: string): Promise<string> {
  const names = await readdir(parent).catch(() => []);
  await Promise.all(names.filter(isLeft).map((name) => removeOwn(join(parent, name))));
  return mkdtemp(join(parent, `svc-thumbnails-${process.pid}-`));
}

/** Whether the process of a folder has ended. A folder with this process's number is from an earlier one: in a container, the number may be the same again. */
function isLeft(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1]);
  return pid === process.pid || (pid > 0 && !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function removeOwn(folder: string): Promise<void> {
  const { uid } = await lstat(folder).catch(() => ({ uid: undefined }));
  if (uid === process.getuid?.()) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
}
