import { Button, Group, Text } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useState } from 'react';
import { currentPath, servicePath, signInUrl } from '../base.ts';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';
import { checkSession } from './session.ts';

const WINDOW = 'popup,width=520,height=720';

/** Replaces the page after the session has ended. The user signs in in another window, so that running uploads are kept. */
export function SessionEndedPage() {
  const [waiting, setWaiting] = useState(false);
  const open = () => {
    const opened = window.open(signInUrl(servicePath('signed-in')), 'svc-sign-in', WINDOW);
    if (opened === null) window.location.assign(signInUrl(currentPath()));
    else setWaiting(true);
  };
  return (
    <LonePage title={t('Your session has ended')}>
      <Text c="dimmed">{t('Sign in again to continue where you were. Running uploads then continue too.')}</Text>
      {waiting && (
        <Text size="sm" c="dimmed" role="status">
          {t('Waiting for the sign-in in the other window…')}
        </Text>
      )}
      <Group>
        <Button onClick={open} size="md" leftSection={<IconLogin2 size={20} />}>
          {t('Sign in')}
        </Button>
        {waiting && (
          <Button variant="default" size="md" onClick={() => void checkSession()}>
            {t('Check session')}
          </Button>
        )}
      </Group>
    </LonePage>
  );
}
