import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { formatBytes } from '../../format/byte-size.ts';
import { failureOf } from '../../transfer/failure.ts';
import { Name } from '../names/name.tsx';
import { inSentence, visibleText } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { chooseFiles } from '../uploads/choose.ts';
import { t } from '../words/words.ts';
import { isSameFile, withoutThoseUnderway, type RememberedUpload } from '../work/remembered.ts';
import { serviceTransport } from '../work/service-transport.ts';
import type { QueueView } from '../work/view.ts';
import { remembered, uploads } from '../work/work.ts';
import styles from './tray.module.css';

type Props = {
  readonly interrupted: readonly RememberedUpload[];
  readonly queue: QueueView;
  /** Called with the uploads that are left, or to be shown again. */
  readonly onChange: (interrupted: readonly RememberedUpload[]) => void;
};

/** Uploads that were interrupted because the page was reloaded or closed. They resume when the user chooses the same file again. */
export function InterruptedUploads({ interrupted, queue, onChange }: Props) {
  return withoutThoseUnderway(interrupted, queue.uploads).map((upload) => (
    <div key={upload.uploadId} className={styles['task']}>
      <Text size="sm" truncate title={visibleText(upload.target.key)}>
        <Name>{baseName(upload.target.key)}</Name>
      </Text>
      <Text size="xs" c="dimmed">
        {t('Interrupted · {size} · to {bucket}.', {
          size: formatBytes(upload.file.size),
          bucket: upload.target.bucket,
        })}{' '}
        {t('Choose the same file again to continue.')}
      </Text>
      <Group gap="xs" mt={6}>
        <Button size="compact-xs" variant="light" onClick={() => void goOn(upload)}>
          {t('Choose file')}
        </Button>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() => {
            onChange(interrupted.filter((other) => other !== upload));
            void discard(upload).then(() => onChange(remembered.list()));
          }}
        >
          {t('Discard')}
        </Button>
      </Group>
    </div>
  ));
}

async function goOn(upload: RememberedUpload): Promise<void> {
  const [chosen] = await chooseFiles({ single: true });
  if (!chosen) return;
  if (isSameFile(chosen.file, upload.file)) uploads.add([{ file: chosen.file, target: upload.target }]);
  else
    notifications.show({
      color: 'red',
      title: t('This is a different file'),
      message: t(
        'Choose “{name}” ({size}), unchanged since the upload started, or discard this upload and start a new one.',
        { name: inSentence(upload.file.name), size: formatBytes(upload.file.size) },
      ),
    });
}

async function discard(upload: RememberedUpload): Promise<void> {
  try {
    await serviceTransport.abandon(upload.target, upload.uploadId);
  } catch (thrown) {
    const { code, detail } = failureOf(thrown);
    if (code !== 'not_found') {
      notifications.show({ color: 'red', title: t('The upload was not discarded'), message: detail });
      return;
    }
  }
  await remembered.forget(upload.file, upload.target);
}
