import { Center, Loader, Text } from '@mantine/core';
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
