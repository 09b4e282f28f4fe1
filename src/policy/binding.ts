/** Someone of one issuer. The same subject of another issuer is another person. */
export type Subject = { readonly issuer: string; readonly subject: string };

/** Whom a binding is for: whoever has one of the groups, or is one of the subjects. */
export type BindingMembers = { readonly groups: readonly string[] } | { readonly subjects: readonly Subject[] };

/** What a binding gives: a role with its policies, or policies by name. */
export type Given = { readonly role: string } | { readonly policies: readonly string[] };

export type Binding = BindingMembers & Given;

/** A named bundle of policies. */
export type Role = { readonly name: string; readonly policies: readonly string[] };

/** Someone who has their roles from the configuration; groups are not looked up for them. `issuer` is empty without an identity provider. */
export type LocalUser = Subject & { readonly roles: readonly string[] };
