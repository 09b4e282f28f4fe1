/** A person of one issuer. The same subject at another issuer is another person. */
export type Subject = { readonly issuer: string; readonly subject: string };

/** A unique string for a person. */
export function subjectId({ issuer, subject }: Subject): string {
  return JSON.stringify([issuer, subject]);
}

/** The people to whom a binding applies: everybody in one of the groups, or the named subjects. */
export type BindingMembers = { readonly groups: readonly string[] } | { readonly subjects: readonly Subject[] };

/** The role or the policies that a binding gives. */
export type Given = { readonly role: string } | { readonly policies: readonly string[] };

export type Binding = BindingMembers & Given;

/** A named bundle of policies. */
export type Role = { readonly name: string; readonly policies: readonly string[] };

/** A person whose roles are set in the configuration. Their groups are ignored. `issuer` is empty without an identity provider. */
export type LocalUser = Subject & { readonly roles: readonly string[] };
