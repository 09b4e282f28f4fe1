import { Button, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';
import { announce } from './tabs.ts';

/** The last page of the sign-in window, at `/signed-in`. It notifies the other tabs and closes the window. */
export function SignedInPage() {
  useEffect(() => {
    announce('signed-in');
    window.close();
  }, []);
  return (
    <LonePage title={t('You are signed in')}>
      <Text c="dimmed">{t('You can close this window and continue where you were.')}</Text>
      <Button component={Link} to="/" variant="default">
        {t('Continue in this window')}
      </Button>
    </LonePage>
  );
}
