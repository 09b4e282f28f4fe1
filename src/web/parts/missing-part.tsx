import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconReload } from '@tabler/icons-react';
import { t } from '../words/words.ts';
import { uploads } from '../work/work.ts';

/** What is the case when a part of the page could not be loaded. */
export function missingPartTitle(): string {
  return window.navigator.onLine ? t('A new version is available') : t('You are offline');
}

/** How to go on when a part of the page could not be loaded. Uploads run until somebody reloads the page. */
export function MissingPart() {
  const isUploading = uploads.view.getState().moving > 0;
  return (
    <>
      <Text size="sm">
        {window.navigator.onLine ? t('Reload the page to go on.') : t('This part of the page was not loaded yet. Reload the page when you are connected again.')}
        {isUploading && ` ${t('Your uploads go on meanwhile: reload when they are done.')}`}
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

/** Says it in a message, for what has no place of its own on the page. */
export function tellMissingPart(): void {
  notifications.hide('missing-part');
  notifications.show({ id: 'missing-part', color: 'orange', title: missingPartTitle(), message: <MissingPart />, autoClose: false, role: 'alert' });
}
