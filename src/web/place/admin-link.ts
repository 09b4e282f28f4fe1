type Asked = {
  readonly provider: string;
  readonly bucket?: string | undefined;
  readonly prefix?: string | undefined;
  readonly key?: string | undefined;
};
type Somebody = { readonly subject: string; readonly issuer: string; readonly groups: readonly string[] };

/** The in-app link to the administration page that shows who has access to a place. */
export function whoLink(place: Asked): string {
  return `/admin/who?${queryOf(place).toString()}`;
}

/** The in-app link to the administration page that explains why a person may or may not do an action in a place. */
export function checkLink({ subject, issuer, groups }: Somebody, action: string, place: Asked): string {
  const query = queryOf({ subject, issuer, action, ...place });
  for (const group of groups) query.append('group', group);
  return `/admin/check?${query.toString()}`;
}

function queryOf(members: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) query.set(name, value);
  return query;
}
