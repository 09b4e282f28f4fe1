import { open } from 'node:fs/promises';

/** The object whose functions every open file of this process calls, so that a test can make the disk fail. */
export async function diskCalls<T>(): Promise<T> {
  const handle = await open(import.meta.filename);
  await handle.close();
  return Object.getPrototypeOf(handle) as T;
}
