import { Button, Group, Text } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useState } from 'react';
import { currentPath, servicePath, signInUrl } from '../base.ts';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';
import { checkSession } from './session.ts';

const WINDOW = 'popup,width=520,height=720';

/** In the place of a page whose session ended: signing in happens in a window of its own, so that uploads under way stay. */
export function SessionEndedPage() {
  const [waiting, setWaiting] = useState(false);
  const open = () => {
    const opened = window.open(signInUrl(servicePath('signed-in')), 'svc-sign-in', WINDOW);
    if (opened === null) window.location.assign(signInUrl(currentPath()));
    else setWaiting(true);
  };
  return (
    <LonePage title={t('Your session has ended')}>
      <Text c="dimmed">{t('Sign in again to go on where you were. Uploads under way go on afterwards.')}</Text>
      {waiting && (
        <Text size="sm" c="dimmed" role="status">
          {t('Waiting for you to sign in in the other window…')}
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
