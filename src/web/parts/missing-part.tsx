import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconReload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '../words/words.ts';
import { uploads } from '../work/work.ts';

/** The title of the message that a part of the page could not be loaded. */
export function missingPartTitle(): string {
  return window.navigator.onLine ? t('A new version is available') : t('You are offline');
}

/** Explains what to do if a part of the page could not be loaded. Uploads continue until the page is reloaded. */
export function MissingPart() {
  const isUploading = uploads.view.getState().moving > 0;
  return (
    <>
      <Text size="sm">
        {window.navigator.onLine
          ? t('Reload the page to continue.')
          : t('This part of the page was not loaded yet. Reload the page when you are connected again.')}
        {isUploading && ` ${t('Your uploads continue in the meantime. Reload when they are done.')}`}
      </Text>
      <Group mt="xs">
        <ReloadButton />
      </Group>
    </>
  );
}

export function ReloadButton() {
  return (
    <Button size="xs" variant="default" leftSection={<IconReload size={16} />} onClick={() => window.location.reload()}>
      {t('Reload')}
    </Button>
  );
}

/** Shows a notification that a part of the page could not be loaded. */
export function tellMissingPart(): void {
  tell(missingPartTitle(), <MissingPart />);
}

/** Shows a notification that a part of the page has failed. */
export function tellFailedPart(): void {
  tell(
    t('This could not be shown'),
    t('Something went wrong here. Try again. If the problem persists, reload the page.'),
  );
}

function tell(title: string, message: ReactNode): void {
  notifications.hide('missing-part');
  notifications.show({ id: 'missing-part', color: 'orange', title, message, autoClose: false, role: 'alert' });
}
