import { t } from '../words/words.ts';

type Has = { readonly hasApiKeys: boolean; readonly hasAudit: boolean };

/** The tabs of the administration, in their order. */
const TABS = [
  { path: 'policies', label: t('Policies') },
  { path: 'roles', label: t('Roles') },
  { path: 'bindings', label: t('Bindings') },
  { path: 'check', label: t('Check access') },
  { path: 'who', label: t('Who has access') },
  { path: 'view-as', label: t('View as') },
  { path: 'sessions', label: t('Sessions') },
  { path: 'sign-ins', label: t('Sign-ins') },
  { path: 'keys', label: t('API keys') },
  { path: 'audit', label: t('Audit') },
  { path: 'providers', label: t('Providers') },
] as const;

export type AdminTab = (typeof TABS)[number];

/** The tabs for a service, without those of features that are disabled: API keys and the audit. */
export function adminTabs({ hasApiKeys, hasAudit }: Has): readonly AdminTab[] {
  return TABS.filter(({ path }) => (path !== 'keys' || hasApiKeys) && (path !== 'audit' || hasAudit));
}

export function adminLink({ path }: AdminTab): string {
  return `/admin/${path}`;
}
