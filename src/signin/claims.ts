/** Reads the identity of a person, with their groups, from verified claims. */

export type Claims = Readonly<Record<string, unknown>>;
export type Warn = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

export type Groups = { readonly found: boolean; readonly groups: readonly string[] };

/** Without members that are `null`, at any depth, because some providers write so what they do not have. */
export function withoutNull(members: object): Claims {
  return JSON.parse(JSON.stringify(members), (_name, value: unknown) => value ?? undefined) as Claims;
}

/** The names along a dotted path; `\.` is a literal dot. */
export function parseClaimPath(path: string): string[] {
  return path.split(/(?<!\\)\./).map((name) => name.replaceAll('\\.', '.'));
}

/** The claim at `path`; undefined when it is missing or `null`. It only follows own members of objects. */
export function claimAt(claims: Claims, path: string): unknown {
  let value: unknown = claims;
  for (const name of parseClaimPath(path)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value ?? undefined;
}

/** The groups at `path`: a string, or a list of strings. Anything else is ignored with a warning and does not refuse the sign-in. */
export function groupsAt(claims: Claims, path: string, warn: Warn): Groups {
  const value = claimAt(claims, path);
  if (value === undefined) {
    if (areLeftOut(claims, path)) {
      warn(
        'the provider left the groups out because there are too many; have it send only those that are assigned to this application',
        { claim: path },
      );
    }
    if (path.includes('.') && Object.hasOwn(claims, path)) {
      warn(
        'there is a claim with the whole name of `groups_claim`, and none at that path; write each dot of a name as `\\.`',
        { claim: path },
      );
    }
    return { found: false, groups: [] };
  }
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const groups = items.filter((item): item is string => typeof item === 'string' && item !== '');
  if (groups.length < items.length) {
    warn('the groups claim holds something other than names, which is ignored', {
      claim: path,
      ignored: items.length - groups.length,
    });
  }
  return { found: true, groups: [...new Set(groups)] };
}

/** Whether the person has too many groups for the token, so that the provider only refers to them. */
export function areLeftOut(claims: Claims, path: string): boolean {
  const elsewhere = claimAt(claims, '_claim_names');
  return (
    claimAt(claims, path) === undefined &&
    typeof elsewhere === 'object' &&
    elsewhere !== null &&
    Object.hasOwn(elsewhere, parseClaimPath(path)[0]!)
  );
}

/** A name to show. U+0000, which databases cannot store, is replaced with U+FFFD. */
export function nameOf(claims: Claims, subject: string): string {
  for (const claim of ['name', 'preferred_username', 'email']) {
    const value = claims[claim];
    if (typeof value === 'string' && value.trim() !== '') return value.replaceAll('\0', '\uFFFD');
  }
  return subject;
}
