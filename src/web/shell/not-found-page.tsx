import { Button } from '@mantine/core';
import { IconCompass } from '@tabler/icons-react';
import { Link } from 'react-router';
import { t } from '../words/words.ts';
import { Page } from './page.tsx';
import { EmptyState } from './states.tsx';

export function NotFoundPage() {
  return (
    <Page title={t('No such page')}>
      <NothingHere />
    </Page>
  );
}

/** The message that nothing can be at the address of the page. */
export function NothingHere() {
  return (
    <EmptyState
      icon={IconCompass}
      title={t('There is nothing at this address')}
      action={
        <Button component={Link} to="/" variant="default">
          {t('Go to the home page')}
        </Button>
      }
    >
      {t('The link may be old, or mistyped.')}
    </EmptyState>
  );
}
