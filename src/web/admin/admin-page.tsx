import { Tabs } from '@mantine/core';
import { Navigate, Route, Routes, useLocation, useNavigate } from 'react-router';
import { Page } from '../shell/page.tsx';
import classes from './admin-page.module.css';
import { BindingsTab } from './bindings-tab.tsx';
import { CheckTab } from './check-tab.tsx';
import { PoliciesTab } from './policies-tab.tsx';
import { RolesTab } from './roles-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';

const TABS = [
  { path: 'policies', label: 'Policies', element: <PoliciesTab /> },
  { path: 'roles', label: 'Roles', element: <RolesTab /> },
  { path: 'bindings', label: 'Bindings', element: <BindingsTab /> },
  { path: 'check', label: 'Check access', element: <CheckTab /> },
  { path: 'sessions', label: 'Sessions', element: <SessionsTab /> },
] as const;

/** Roles, policies, bindings, who may do what and why, and sessions; for the admin role. Loaded when it is first needed. */
export function AdminPage() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const current = TABS.find(({ path }) => pathname === `/admin/${path}`)?.path ?? 'policies';
  return (
    <Page title="Administration" lead="Who can do what. Policies, roles and bindings come from the configuration, and change with it at a restart.">
      <Tabs value={current} onChange={(path) => void navigate(`/admin/${path ?? 'policies'}`)} keepMounted={false}>
        <Tabs.List mb="md" className={classes.tabs}>
          {TABS.map(({ path, label }) => (
            <Tabs.Tab key={path} value={path}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={current}>
          <Routes>
            {TABS.map(({ path, element }) => (
              <Route key={path} path={path} element={element} />
            ))}
            <Route path="*" element={<Navigate to="/admin/policies" replace />} />
          </Routes>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
