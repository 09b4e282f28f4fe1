import { Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { servicePath } from '../base.ts';
import { copyText } from '../clipboard/clipboard.ts';
import { t } from '../words/words.ts';
import { openDialog } from './dialog.tsx';

const WHO = t('Whoever opens it signs in, and sees what they themselves may see.');

/** The address of a page. @param link - its in-app path. */
export function addressOf(link: string): string {
  return window.location.origin + servicePath(link.slice(1));
}

/** Copies the address of a page for colleagues. @param link - the in-app path of the page. */
export async function copyLink(link: string): Promise<void> {
  const url = addressOf(link);
  if (await copyText(url)) notifications.show({ title: t('The link was copied'), message: WHO });
  else
    openDialog(t('Copy link'), () => (
      <Stack gap="sm">
        <TextInput aria-label={t('Link')} value={url} readOnly autoFocus onFocus={(event) => event.currentTarget.select()} />
        <Text size="sm">{t('Your browser does not let this page copy it: press Ctrl and C.')} {WHO}</Text>
      </Stack>
    ));
}
