import { ACTION_NAMES, ATOMIC_ACTIONS } from '../policy/action.ts';
import { boolean, bucketName, keyPrefix, object, objectKey, providerName, string, strings, text, type Wire } from './schema.ts';

export const roleList = object({ roles: { type: 'array', items: object({ name: string, policies: strings }) } });
export type RoleList = Wire<typeof roleList>;

/** Names in a selector: what they have to be is said where rules are checked. */
const named = { provider: text(63), bucket: text(63) } as const;

/** A resource selector. It covers the resource and everything beneath it; names are compared exactly. */
export const selector = {
  oneOf: [
    object({ type: { const: 'all' } }),
    object({ type: { const: 'provider' }, provider: named.provider }),
    object({ type: { const: 'bucket' }, ...named }),
    object({ type: { const: 'prefix' }, ...named, prefix: keyPrefix }),
    object({ type: { const: 'object' }, ...named, key: keyPrefix }),
  ],
} as const;

export const rule = object({
  effect: { type: 'string', enum: ['allow', 'deny'] },
  actions: { type: 'array', items: { type: 'string', enum: ATOMIC_ACTIONS } },
  resources: { type: 'array', items: selector },
});

export const policyList = object({
  policies: {
    type: 'array',
    items: object({ name: string, source: { type: 'string', enum: ['built-in', 'config', 'iam'] }, rules: { type: 'array', items: rule } }),
  },
});
export type PolicyList = Wire<typeof policyList>;

/** An entry has `groups` or `subjects`, and `role` or `policies`. */
export const bindingList = object({
  bindings: {
    type: 'array',
    items: object(
      {
        groups: strings,
        subjects: { type: 'array', items: object({ issuer: string, subject: string }) },
        role: string,
        policies: strings,
      },
      ['groups', 'subjects', 'role', 'policies'],
    ),
  },
});
export type BindingList = Wire<typeof bindingList>;

/** Who asks for what. The issuer is the administrator's own when it is left out; bucket and key are as the action needs them. */
export const explainRequest = object(
  { issuer: text(2_048), subject: text(255), groups: { type: 'array', items: text(255), maxItems: 100 }, action: { type: 'string', enum: ACTION_NAMES }, provider: providerName, bucket: bucketName, key: objectKey },
  ['issuer', 'subject', 'groups', 'bucket', 'key'],
);
export type ExplainRequest = Wire<typeof explainRequest>;

/** The decision on each atomic action of the name that was asked about, with every rule that has a say in it, from the widest selector to the narrowest. */
export const explanation = object({
  allowed: { ...boolean, description: 'Every one of `answers` is.' },
  roles: strings,
  policies: strings,
  answers: {
    type: 'array',
    items: object({
      action: { type: 'string', enum: ATOMIC_ACTIONS },
      allowed: boolean,
      reason: { type: 'string', enum: ['allowed', 'explicit_deny', 'no_matching_allow'] },
      matches: {
        type: 'array',
        items: object({ effect: { type: 'string', enum: ['allow', 'deny'] }, policy: string, rule: { type: 'integer', description: 'Counted from 0.' }, resource: selector }),
      },
    }),
  },
});
export type Explanation = Wire<typeof explanation>;

/** `GET /api/admin/sessions` */
export const sessionList = object({
  sessions: {
    type: 'array',
    items: object({
      id: { type: 'string', description: 'Public id: it authenticates nobody.' },
      subject: string,
      issuer: string,
      name: string,
      kind: { type: 'string', enum: ['web', 'desktop'] },
      since: { type: 'string', description: 'RFC 3339.' },
      expires: { type: 'string', description: 'RFC 3339.' },
    }),
  },
});
export type SessionList = Wire<typeof sessionList>;

export const sessionPath = object({ id: { type: 'string', minLength: 1, maxLength: 128 } });
