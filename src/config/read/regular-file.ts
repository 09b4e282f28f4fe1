import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const MIB = 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the user who runs svc has no permission',
  EPERM: 'the user who runs svc has no permission',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file and not a folder',
  ELOOP: 'it is a link to itself, directly or through other links',
};

/**
 * Reads a file that a configuration names. It never blocks and always ends: pipes, devices and large files are refused.
 *
 * @throws an error that {@link unreadable} explains
 */
export function readRegularFile(file: string, maxBytes = 8 * MIB): Buffer {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (!stat.isFile()) throw new RangeError('is neither a regular file nor a link to one');
    const bytes = Buffer.alloc(Math.min(stat.size, maxBytes) + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(handle, bytes, length, bytes.length - length, length);
    if (length > maxBytes)
      throw new RangeError(`is larger than ${maxBytes < MIB ? `${maxBytes / 1024} KiB` : `${maxBytes / MIB} MiB`}`);
    if (length === bytes.length) throw new RangeError('changed while it was read');
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

/** Says why a file was not read: `cannot be read: ` and the reason of the operating system, or why it is refused. */
export function unreadable(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const { code = 'for an unknown reason' } = error as NodeJS.ErrnoException;
  return `cannot be read: ${REASONS[code] ?? code}`;
}
