import { Skeleton, Stack } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { Navigate, Route, Routes, useLocation } from 'react-router';
import { FolderPage } from './folder/folder-page.tsx';
import { Boundary } from './parts/boundary.tsx';
import { lazyPart } from './parts/part.ts';
import { SIGN_OUT_PATH } from './base.ts';
import { SessionGate } from './session/session-gate.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { SignedInPage } from './session/signed-in-page.tsx';
import { SignedOutPage } from './session/signed-out-page.tsx';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';
import { Tray } from './tray/tray.tsx';
import { t } from './words/words.ts';

const HomePage = lazyPart(() => import('./browse/home-page.tsx').then((module) => module.HomePage));
const ProviderPage = lazyPart(() => import('./browse/provider-page.tsx').then((module) => module.ProviderPage));
const AdminPage = lazyPart(() => import('./admin/admin-page.tsx').then((module) => module.AdminPage));
const SearchPage = lazyPart(() => import('./search/search-page.tsx').then((module) => module.SearchPage));
const KeysPage = lazyPart(() => import('./keys/keys-page.tsx').then((module) => module.KeysPage));
const ToolsPage = lazyPart(() => import('./keys/tools-page.tsx').then((module) => module.ToolsPage));

/** The routes of the UI. The public pages are outside of the session gate. */
export function Routing() {
  return (
    <Routes>
      <Route path="/sign-in" element={<SignInPage />} />
      <Route path="/signed-out" element={<SignedOutPage />} />
      <Route path="/signed-in" element={<SignedInPage />} />
      <Route path="*" element={<Guarded />} />
    </Routes>
  );
}

function Guarded() {
  const { pathname } = useLocation();
  return (
    <SessionGate kept={<Tray />}>
      <Shell>
        <Boundary what="page" about={pathname}>
          <Suspense fallback={<PageLoading />}>
            <Routes>
              <Route path="/" element={<HomePage />} />
              <Route path="/p/:provider" element={<ProviderPage />} />
              <Route path="/p/:provider/:bucket" element={<FolderPage />} />
              <Route path="/admin/*" element={<AdminPage />} />
              <Route path="/search" element={<SearchPage />} />
              <Route path="/keys" element={<KeysPage />} />
              <Route path="/tools" element={<ToolsPage />} />
              {/* Somebody who is still signed in after a sign-out that was not confirmed. */}
              <Route path={SIGN_OUT_PATH} element={<Navigate to="/" replace />} />
              <Route path="/api/docs" element={<Reloaded />} />
              <Route path="*" element={<NotFoundPage />} />
            </Routes>
          </Suspense>
        </Boundary>
      </Shell>
    </SessionGate>
  );
}

/** Loads the API reference, which the service writes itself. Until the session could be checked, the service answered with this page. */
function Reloaded() {
  useEffect(() => window.location.reload(), []);
  return <PageLoading />;
}

/** The placeholder of a page while its code is loading. */
function PageLoading() {
  return (
    <Stack p="lg" gap="md" role="status" aria-label={t('Loading')}>
      <Skeleton h={28} w={220} />
      <Skeleton h={96} />
      <Skeleton h={96} />
    </Stack>
  );
}
