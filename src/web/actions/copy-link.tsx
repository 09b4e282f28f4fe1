import { Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { servicePath } from '../base.ts';
import { copyText } from '../clipboard/clipboard.ts';
import { t } from '../words/words.ts';
import { openDialog } from './dialog.tsx';

const WHO = t('People who open it sign in first, and only see what they have access to.');

/** The full URL of a page. @param link - the in-app path of the page. */
export function addressOf(link: string): string {
  return window.location.origin + servicePath(link.slice(1));
}

/** Copies the URL of a page, to be sent to colleagues. @param link - the in-app path of the page. */
export async function copyLink(link: string): Promise<void> {
  const url = addressOf(link);
  if (await copyText(url)) notifications.show({ title: t('The link was copied'), message: WHO });
  else
    openDialog(t('Copy link'), () => (
      <Stack gap="sm">
        <TextInput
          aria-label={t('Link')}
          value={url}
          readOnly
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
        />
        <Text size="sm">
          {t('Your browser does not allow copying here. Press Ctrl and C.')} {WHO}
        </Text>
      </Stack>
    ));
}
