import { Button, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';
import { announce } from './tabs.ts';

/** `/signed-in`: where the sign-in window ends. It tells the page that opened it, and closes. */
export function SignedInPage() {
  useEffect(() => {
    announce('signed-in');
    window.close();
  }, []);
  return (
    <LonePage title={t('You are signed in')}>
      <Text c="dimmed">{t('You can close this window and go on where you were.')}</Text>
      <Button component={Link} to="/" variant="default">
        {t('Open the browser here')}
      </Button>
    </LonePage>
  );
}
