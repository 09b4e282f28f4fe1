import { Button } from '@mantine/core';
import { IconCompass } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Page } from './page.tsx';
import { EmptyState } from './states.tsx';

export function NotFoundPage() {
  return (
    <Page title="No such page">
      <EmptyState icon={IconCompass} title="There is nothing at this address" action={<Button component={Link} to="/" variant="default">Go to the start</Button>}>
        The link may be old, or mistyped.
      </EmptyState>
    </Page>
  );
}
