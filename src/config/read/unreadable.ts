const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'the user who runs svc has no permission',
  EPERM: 'the user who runs svc has no permission',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file and not a folder',
  ELOOP: 'it is a link to itself, directly or through other links',
};

/** `cannot be read: ` and the reason, from the error of the operating system. */
export function unreadable(error: unknown): string {
  const { code = 'for an unknown reason' } = error as NodeJS.ErrnoException;
  return `cannot be read: ${REASONS[code] ?? code}`;
}
