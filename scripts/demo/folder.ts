import { constants } from 'node:fs';
import { access, mkdir, rm } from 'node:fs/promises';

export const CHECKOUT = new URL('../../', import.meta.url).pathname;

/** The demo cannot keep its files. The message says what to do. */
export class NotWritable extends Error {
  override readonly name = 'NotWritable';
  readonly code = 'not_writable';
}

/** Makes a folder that the demo can write to. @param empty - what is there is removed. @throws {NotWritable} */
export async function makeFolder(folder: string, { empty }: { readonly empty: boolean }): Promise<void> {
  try {
    if (empty) await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new NotWritable(
      `the demo cannot write to \`${folder}\` (${String((error as NodeJS.ErrnoException).code)}); run it from a checkout that you may write to`,
    );
  }
}
