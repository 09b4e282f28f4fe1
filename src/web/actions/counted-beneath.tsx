import { Alert, Button, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { formatBytes } from '../../format/byte-size.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { plural, t } from '../words/words.ts';
import type { Count } from './count-beneath.ts';
import type { Growing } from './use-growing.ts';

/** Shows how many objects the deletion of folders will remove, during and after the count, and why the count is incomplete. */
export function CountedBeneath({
  counting: { value, state, failure },
  onSkip,
}: {
  counting: Growing<Count>;
  onSkip: () => void;
}) {
  const { items, bytes, kept } = value;
  const size = `${plural(items, '{count} item', '{count} items')}, ${formatBytes(bytes)}`;
  return (
    <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
      <Text size="sm" fw={600} className="tabular" aria-live={state === 'counting' ? 'off' : 'polite'}>
        {state === 'counting'
          ? t('Counting: {size} so far…', { size })
          : state === 'counted'
            ? t('Inside: {size}', { size })
            : t('Inside: at least {size}', { size })}
      </Text>
      <Text size="sm">
        {t('Everything in a folder is deleted with it. Files that you may not see are not counted and are kept.')}
      </Text>
      {kept > 0 && (
        <Text size="sm">
          {plural(
            kept,
            'You may not delete {count} of these items: it stays.',
            'You may not delete {count} of these items: they stay.',
          )}
        </Text>
      )}
      {failure !== undefined && (
        <Text size="sm">
          {t('The rest could not be counted.')} {explainFailure(failure)}
        </Text>
      )}
      {state === 'stopped' && <Text size="sm">{t('The rest was not counted.')}</Text>}
      {state === 'counting' && (
        <Button size="compact-sm" variant="default" mt={8} onClick={onSkip}>
          {t('Stop counting')}
        </Button>
      )}
    </Alert>
  );
}
