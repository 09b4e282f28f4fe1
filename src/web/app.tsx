import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Suspense } from 'react';
import { BrowserRouter } from 'react-router';
import { apiErrorOf, onDenial } from './api/api-error.ts';
import { refreshPermissions } from './api/queries.ts';
import { basename } from './base.ts';
import { Boundary } from './parts/boundary.tsx';
import { Dialogs } from './parts/dialogs.tsx';
import { lazyPart } from './parts/part.ts';
import { Routing } from './routing.tsx';
import { colorSchemeManager, cssVariables, theme } from './theme.ts';
import { t } from './words/words.ts';

const RETRIES = 2;
const DENIALS_MS = 1_000;

const Messages = lazyPart(() => import('./parts/messages.tsx').then((module) => module.Messages));

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      // A service on this computer or in the local network is reachable without the internet.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) =>
        failures < RETRIES && ['network', 'storage_timeout', 'unexpected_answer'].includes(apiErrorOf(error).code),
      retryDelay: (failures) => 400 * 2 ** failures,
    },
  },
});

let isAsking = false;
/** The page offers what the service refuses after the configuration has changed. Many denials in a row are one reason to ask. */
onDenial(() => {
  if (isAsking) return;
  isAsking = true;
  setTimeout(() => {
    isAsking = false;
    void refreshPermissions(queryClient);
  }, DENIALS_MS);
});

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <BrowserRouter basename={basename}>
          <Dialogs />
          <Boundary what="panel">
            <Suspense>
              <Messages />
            </Suspense>
          </Boundary>
          <Boundary what="app">
            <Routing />
          </Boundary>
          <section id="overlays" aria-label={t('Menus, dialogs and messages')} />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  );
}
