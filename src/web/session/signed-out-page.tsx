import { Button, Text } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useEffect } from 'react';
import { basePath, signInUrl } from '../base.ts';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';
import { announce } from './tabs.ts';

/** The page after signing out, at `/signed-out`. */
export function SignedOutPage() {
  useEffect(() => announce('signed-out'), []);
  return (
    <LonePage title={t('You are signed out')}>
      <Text c="dimmed">
        {t('Your session on this service has ended. On a shared computer, close the browser window too.')}
      </Text>
      <Button
        component="a"
        href={signInUrl(basePath)}
        variant="default"
        size="md"
        leftSection={<IconLogin2 size={20} />}
      >
        {t('Sign in again')}
      </Button>
    </LonePage>
  );
}
