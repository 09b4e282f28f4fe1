import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconExternalLink, IconFolderOpen } from '@tabler/icons-react';
import { inSentence } from '../names/visible.ts';
import { t } from '../words/words.ts';

type Ways = {
  readonly reveal: () => Promise<unknown>;
  /** Undefined for files that would run as programs when opened. */ readonly open:
    (() => Promise<unknown>) | undefined;
};

/** Shows a message about a finished download, with buttons that open the file and show it in its folder. */
export function sayDownloaded(name: string, { reveal, open }: Ways): void {
  notifications.show({
    title: t('“{name}” was downloaded', { name: inSentence(name) }),
    message: (
      <Group gap="xs" mt={4}>
        {open !== undefined && (
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconExternalLink size={16} />}
            onClick={() => void open()}
          >
            {t('Open')}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="light"
          leftSection={<IconFolderOpen size={16} />}
          onClick={() => void reveal()}
        >
          {t('Show in folder')}
        </Button>
      </Group>
    ),
  });
}
