import { Button, Text } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { basePath, currentPath, signInUrl } from '../base.ts';
import { t } from '../words/words.ts';
import { LonePage } from './lone-page.tsx';

/** The sign-in page at `/sign-in?return_to=`, which needs no session. */
export function SignInPage() {
  const [search] = useSearchParams();
  return <SignInScreen returnTo={search.get('return_to') ?? basePath} />;
}

/** Replaces any page while nobody is signed in. After the sign-in, the browser returns to the same path. */
export function SignInScreen({ returnTo = currentPath() }: { returnTo?: string }) {
  return (
    <LonePage title={t('Sign in')}>
      <Text c="dimmed">
        {t(
          'Browse, share and organise the object storage that you have been given access to. Your organisation’s sign-in page opens next.',
        )}
      </Text>
      <Button component="a" href={signInUrl(returnTo)} size="md" leftSection={<IconLogin2 size={20} />}>
        {t('Sign in')}
      </Button>
    </LonePage>
  );
}
