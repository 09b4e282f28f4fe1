import { Button, Text } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { basePath, currentPath, signInUrl } from '../base.ts';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';

/** `/sign-in?return_to=`: one of the two pages without a session. */
export function SignInPage() {
  const [search] = useSearchParams();
  return <SignInScreen returnTo={search.get('return_to') ?? basePath} />;
}

/** Shown in place of any page while nobody is signed in; afterwards the browser comes back to the same path. */
export function SignInScreen({ returnTo = currentPath() }: { returnTo?: string }) {
  return (
    <LonePage title={t('Sign in')}>
      <Text c="dimmed">{t('Browse, share and organise the object storage that you have been given access to. Your organisation’s sign-in page opens next.')}</Text>
      <Button component="a" href={signInUrl(returnTo)} size="md" leftSection={<IconLogin2 size={20} />}>
        {t('Sign in')}
      </Button>
    </LonePage>
  );
}
