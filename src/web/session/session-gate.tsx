import { Button, Center, Loader, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';
import { SessionEndedPage } from './session-ended-page.tsx';
import { checkSession, sessionState } from './session.ts';
import { SignInScreen } from './sign-in-page.tsx';
import { useSession } from './use-session.ts';

/**
 * Renders its children only while a user is signed in.
 *
 * @param kept - the content that stays when the session ends, such as the running transfers.
 */
export function SessionGate({ children, kept }: { children: ReactNode; kept: ReactNode }) {
  const state = useSession();
  const isHidden = state.status !== 'active';
  useEffect(() => {
    // A sign-out that is not confirmed is checked on request.
    if (sessionState().status === 'checking') void checkSession();
  }, []);
  useEffect(() => {
    // Notifications are rendered outside of the gate and contain names of objects.
    if (!isHidden) return;
    notifications.clean();
  }, [isHidden]);
  switch (state.status) {
    case 'checking':
    case 'signing-out':
      return (
        <Center
          mih="100dvh"
          role="status"
          aria-label={state.status === 'checking' ? t('Checking your session') : t('Signing out')}
        >
          <Loader />
        </Center>
      );
    case 'signed-out':
      return <SignInScreen />;
    case 'unknown':
      return (
        <LonePage title={t('Your session could not be checked')}>
          <Text c="dimmed">{t('You may still be signed in. Your data is hidden until the service answers.')}</Text>
          <CheckSession error={state.error} />
        </LonePage>
      );
    case 'sign-out-unconfirmed':
      return (
        <LonePage title={t('Sign-out is unconfirmed')}>
          <Text c="dimmed">
            {t(
              'The service did not confirm it, so you may still be signed in. Check the session, and sign out again if it is still there.',
            )}
          </Text>
          <CheckSession error={state.error} />
        </LonePage>
      );
    case 'active':
      return children;
    case 'ended':
      return (
        <>
          <SessionEndedPage />
          {kept}
        </>
      );
  }
}

function CheckSession({ error }: { error: ApiError | undefined }) {
  const [checking, setChecking] = useState(false);
  const check = async () => {
    setChecking(true);
    await checkSession();
    setChecking(false);
  };
  return (
    <>
      {error !== undefined && (
        <Text size="sm" role="alert">
          {error.message}
        </Text>
      )}
      <Button onClick={() => void check()} loading={checking} size="md" leftSection={<IconRefresh size={20} />}>
        {t('Check session')}
      </Button>
    </>
  );
}
