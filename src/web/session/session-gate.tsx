import { Button, Center, Loader, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { LonePage } from '../shell/lone-page.tsx';
import { checkSession } from './session.ts';
import { SessionEndedPrompt } from './session-ended-prompt.tsx';
import { SignInScreen } from './sign-in-page.tsx';
import { useSession } from './use-session.ts';

/** Draws its children only while somebody is signed in; a session that ended in the middle of work keeps them below a prompt. */
export function SessionGate({ children }: { children: ReactNode }) {
  const state = useSession();
  useEffect(() => {
    void checkSession();
  }, []);
  switch (state.status) {
    case 'checking':
      return (
        <Center mih="100dvh" role="status" aria-label="Checking your session">
          <Loader />
        </Center>
      );
    case 'signed-out':
      return <SignInScreen />;
    case 'unknown':
      return (
        <LonePage title="Your session could not be checked">
          <Text c="dimmed">You may still be signed in. Until the service answers, nothing of your account is shown.</Text>
          <CheckSession error={state.error} />
        </LonePage>
      );
    case 'sign-out-unconfirmed':
      return (
        <LonePage title="Sign-out is unconfirmed">
          <Text c="dimmed">The service’s answer was lost, so you may still be signed in. Check the session, and sign out again if it is still there.</Text>
          <CheckSession error={state.error} />
        </LonePage>
      );
    case 'active':
      return children;
    case 'ended':
      return (
        <>
          {children}
          <SessionEndedPrompt />
        </>
      );
  }
}

function CheckSession({ error }: { error: ApiError }) {
  const [checking, setChecking] = useState(false);
  const check = async () => {
    setChecking(true);
    await checkSession();
    setChecking(false);
  };
  return (
    <>
      <Text size="sm" role="alert">
        {error.message}
      </Text>
      <Button onClick={() => void check()} loading={checking} size="md" leftSection={<IconRefresh size={20} />}>
        Check session
      </Button>
    </>
  );
}
