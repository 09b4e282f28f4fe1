/** Joins key paths in the form that people read: `auth.bindings.2.role`. */

export function joinPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** The names along a JSON pointer (RFC 6901). */
export function pointerNames(pointer: string): string[] {
  return pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The part of a key that can be shown. Without a space after the colon, as in `secret_key:abc`, the rest is a value and may be a secret. */
export function displayKey(name: string): string {
  const key = /^[\w$-]*/.exec(name)![0];
  return key === name ? name : `${key}…`;
}
