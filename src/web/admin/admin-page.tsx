import { Tabs } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { Navigate, Route, Routes, useLocation, useNavigate } from 'react-router';
import { useAccount } from '../session/use-session.ts';
import { Page } from '../shell/page.tsx';
import { t } from '../words/words.ts';
import classes from './admin-page.module.css';
import { AuditTab } from './audit-tab.tsx';
import { BindingsTab } from './bindings-tab.tsx';
import { CheckTab } from './check-tab.tsx';
import { KeysTab } from './keys-tab.tsx';
import { NeedsAdmin } from './loaded.tsx';
import { PoliciesTab } from './policies-tab.tsx';
import { ProvidersTab } from './providers-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { SignInsTab } from './sign-ins-tab.tsx';
import { ViewAsTab } from './view-as-tab.tsx';
import { WhoTab } from './who-tab.tsx';

type AdminTab = { readonly path: string; readonly label: string; readonly element: ReactNode; /** What the service must have for it. */ readonly needs?: 'api keys' | 'audit' };

const TABS: readonly AdminTab[] = [
  { path: 'policies', label: t('Policies'), element: <PoliciesTab /> },
  { path: 'roles', label: t('Roles'), element: <RolesTab /> },
  { path: 'bindings', label: t('Bindings'), element: <BindingsTab /> },
  { path: 'check', label: t('Check access'), element: <CheckTab /> },
  { path: 'who', label: t('Who has access'), element: <WhoTab /> },
  { path: 'view-as', label: t('View as'), element: <ViewAsTab /> },
  { path: 'sessions', label: t('Sessions'), element: <SessionsTab /> },
  { path: 'sign-ins', label: t('Sign-ins'), element: <SignInsTab /> },
  { path: 'keys', label: t('API keys'), element: <KeysTab />, needs: 'api keys' },
  { path: 'audit', label: t('Audit'), element: <AuditTab />, needs: 'audit' },
  { path: 'providers', label: t('Providers'), element: <ProvidersTab /> },
];

/** Roles, policies, bindings, who may do what and why, and sessions; for the admin role. Loaded when it is first needed. */
export function AdminPage() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { isAdmin, hasApiKeys, hasAudit } = useAccount();
  const has = { 'api keys': hasApiKeys, audit: hasAudit };
  const tabs = TABS.filter(({ needs }) => needs === undefined || has[needs]);
  const current = tabs.find(({ path }) => pathname === `/admin/${path}`)?.path ?? 'policies';
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the tabs scroll sideways.
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  if (!isAdmin)
    return (
      <Page title={t('Administration')}>
        <NeedsAdmin />
      </Page>
    );
  return (
    <Page title={t('Administration')} lead={t('Who can do what. Policies, roles and bindings come from the configuration, and change with it at a restart or a reload.')}>
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
            {tabs.map(({ path, element }) => (
              <Route key={path} path={path} element={element} />
            ))}
            <Route path="*" element={<Navigate to="/admin/policies" replace />} />
          </Routes>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
