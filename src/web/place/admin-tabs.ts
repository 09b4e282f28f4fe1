import { t } from '../words/words.ts';

type Has = { readonly hasApiKeys: boolean; readonly s3: object | null; readonly hasAudit: boolean };

/** The tabs of the administration, in the order of questions: who may do what and why, who was here, what happened, and whether storage answers. */
const TABS = [
  { path: 'who', label: t('Who has access') },
  { path: 'check', label: t('Check access') },
  { path: 'view-as', label: t('View as') },
  { path: 'policies', label: t('Policies') },
  { path: 'roles', label: t('Roles') },
  { path: 'bindings', label: t('Bindings') },
  { path: 'sessions', label: t('Sessions') },
  { path: 'sign-ins', label: t('Sign-ins') },
  { path: 'keys', label: t('API keys') },
  { path: 's3-keys', label: t('S3 keys') },
  { path: 'audit', label: t('Audit') },
  // A page within the audit, which links to it.
  { path: 'audit/sinks', label: t('Audit sinks') },
  { path: 'providers', label: t('Providers') },
] as const;

export type AdminTab = (typeof TABS)[number];

/** The tabs for a service, without those of features that are disabled: keys and the audit. */
export function adminTabs({ hasApiKeys, s3, hasAudit }: Has): readonly AdminTab[] {
  const has: { readonly [path: string]: boolean } = {
    keys: hasApiKeys,
    's3-keys': s3 !== null,
    audit: hasAudit,
    'audit/sinks': hasAudit,
  };
  return TABS.filter(({ path }) => has[path] ?? true);
}

export function adminLink({ path }: AdminTab): string {
  return `/admin/${path}`;
}
