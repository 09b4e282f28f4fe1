import { Button, Center, Loader, Stack, Text } from '@mantine/core';
import { formatBytes } from '../../format/byte-size.ts';
import { t } from '../words/words.ts';
import classes from './details.module.css';

export function NoPreview({ children }: { children: string }) {
  return (
    <Center className={classes.frame} p="lg" mih={96}>
      <Text size="sm" c="dimmed" ta="center">
        {children}
      </Text>
    </Center>
  );
}

export function TooLarge({ most }: { most: number }) {
  return (
    <NoPreview>
      {t('Files of this type have a preview up to {size}. Download the file to open it.', { size: formatBytes(most) })}
    </NoPreview>
  );
}

export function PreviewLoading() {
  return (
    <Center h={160}>
      <Loader size="sm" role="status" aria-label={t('Loading the preview')} />
    </Center>
  );
}

/** Shows why a file is loaded on request only, and asks whether to. */
export function AskFirst({ ask, onYes, children }: { ask: string; onYes: () => void; children: string }) {
  return (
    <Center className={classes.frame} p="lg" mih={96}>
      <Stack align="center" gap="sm">
        <Text size="sm" c="dimmed" ta="center">
          {children}
        </Text>
        <Button size="xs" variant="default" onClick={onYes}>
          {ask}
        </Button>
      </Stack>
    </Center>
  );
}
