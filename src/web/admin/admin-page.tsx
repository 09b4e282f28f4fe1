import { useEffect, useRef, type ReactNode } from 'react';
import { Navigate, NavLink, Route, Routes, useLocation } from 'react-router';
import { adminLink, adminTabs, type AdminTab } from '../place/admin-tabs.ts';
import { useAccount } from '../session/use-session.ts';
import { Page } from '../shell/page.tsx';
import { t } from '../words/words.ts';
import classes from './admin-page.module.css';
import { AuditTab } from './audit-tab.tsx';
import { BindingsTab } from './bindings-tab.tsx';
import { CheckTab } from './check-tab.tsx';
import { API_KEYS, S3_KEYS } from './key-kinds.ts';
import { KeysTab } from './keys-tab.tsx';
import { NeedsAdmin } from './loaded.tsx';
import { PoliciesTab } from './policies-tab.tsx';
import { ProvidersTab } from './providers-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { SignInsTab } from './sign-ins-tab.tsx';
import { SinksTab } from './sinks-tab.tsx';
import { ViewAsTab } from './view-as-tab.tsx';
import { WhoTab } from './who-tab.tsx';

const ELEMENTS: Readonly<Record<AdminTab['path'], ReactNode>> = {
  who: <WhoTab />,
  check: <CheckTab />,
  'view-as': <ViewAsTab />,
  policies: <PoliciesTab />,
  roles: <RolesTab />,
  bindings: <BindingsTab />,
  sessions: <SessionsTab />,
  'sign-ins': <SignInsTab />,
  keys: <KeysTab kind={API_KEYS} key="api" />,
  's3-keys': <KeysTab kind={S3_KEYS} key="s3" />,
  audit: <AuditTab />,
  'audit/sinks': <SinksTab />,
  providers: <ProvidersTab />,
};

/** The administration pages, for users with the admin role. Their code is loaded when one is first opened. */
export function AdminPage() {
  const { pathname } = useLocation();
  const account = useAccount();
  const tabs = adminTabs(account);
  const list = useRef<HTMLElement>(null);
  // On a narrow screen the tabs scroll sideways, so bring the current one into view.
  useEffect(() => {
    list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  if (!account.isAdmin)
    return (
      <Page title={t('Administration')}>
        <NeedsAdmin />
      </Page>
    );
  return (
    <Page
      title={t('Administration')}
      lead={t(
        'Who can do what. Policies, roles and bindings are defined in the configuration, and change when the service restarts or reloads it.',
      )}
    >
      <nav ref={list} aria-label={t('Administration')} className={classes.tabs}>
        {tabs
          .filter(({ path }) => !path.includes('/'))
          .map((tab) => (
            <NavLink key={tab.path} to={adminLink(tab)}>
              {tab.label}
            </NavLink>
          ))}
      </nav>
      <Routes>
        {tabs.map(({ path }) => (
          <Route key={path} path={path} element={ELEMENTS[path]} />
        ))}
        <Route path="*" element={<Navigate to={adminLink(tabs[0]!)} replace />} />
      </Routes>
    </Page>
  );
}
