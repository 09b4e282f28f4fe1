import { Tabs } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { Navigate, Route, Routes, useLocation, useNavigate } from 'react-router';
import { adminTabs, type AdminTab } from '../place/admin-tabs.ts';
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
import { ViewAsTab } from './view-as-tab.tsx';
import { WhoTab } from './who-tab.tsx';

const ELEMENTS: Readonly<Record<AdminTab['path'], ReactNode>> = {
  policies: <PoliciesTab />,
  roles: <RolesTab />,
  bindings: <BindingsTab />,
  check: <CheckTab />,
  who: <WhoTab />,
  'view-as': <ViewAsTab />,
  sessions: <SessionsTab />,
  'sign-ins': <SignInsTab />,
  keys: <KeysTab kind={API_KEYS} key="api" />,
  's3-keys': <KeysTab kind={S3_KEYS} key="s3" />,
  audit: <AuditTab />,
  providers: <ProvidersTab />,
};

/** The administration pages, for users with the admin role. Their code is loaded when one is first opened. */
export function AdminPage() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const account = useAccount();
  const tabs = adminTabs(account);
  const current = tabs.find(({ path }) => pathname === `/admin/${path}`)?.path ?? 'policies';
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the tabs scroll sideways, so bring the current one into view.
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
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
      <Tabs value={current} onChange={(path) => void navigate(`/admin/${path ?? 'policies'}`)} keepMounted={false}>
        <Tabs.List ref={list} mb="md" className={classes.tabs}>
          {tabs.map(({ path, label }) => (
            <Tabs.Tab key={path} value={path}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={current}>
          <Routes>
            {tabs.map(({ path }) => (
              <Route key={path} path={path} element={ELEMENTS[path]} />
            ))}
            <Route path="*" element={<Navigate to="/admin/policies" replace />} />
          </Routes>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
