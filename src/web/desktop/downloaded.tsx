import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFolderOpen } from '@tabler/icons-react';
import { inSentence } from '../names/visible.ts';
import { t } from '../words/words.ts';

/** Says that a file is in the person's folder, and offers to show it there. */
export function sayDownloaded(name: string, reveal: () => Promise<unknown>): void {
  notifications.show({
    title: t('“{name}” was downloaded', { name: inSentence(name) }),
    message: (
      <Button size="compact-sm" variant="light" mt={4} leftSection={<IconFolderOpen size={16} />} onClick={() => void reveal()}>
        {t('Show in folder')}
      </Button>
    ),
  });
}
