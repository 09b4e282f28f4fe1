import { Button, Text } from '@mantine/core';
import { useEffect } from 'react';
import { basePath } from '../base.ts';
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
      <Button component="a" href={basePath} variant="default">
        {t('Continue in this window')}
      </Button>
    </LonePage>
  );
}
