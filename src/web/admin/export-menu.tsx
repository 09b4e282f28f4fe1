import { Button, Menu, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { explainFailure } from '../api/explain-failure.ts';
import { failureOf } from '../../transfer/failure.ts';
import { t } from '../words/words.ts';
import type { AuditFilter } from './admin-queries.ts';
import { exportAudit, MAX_EXPORTED, type Format } from './audit-export.ts';

/** Saves the lines that the filters find as a file, and says when these are not all. */
export function ExportMenu({ filter }: { readonly filter: AuditFilter }) {
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: (format: Format) => exportAudit(filter, format),
  });
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={18} stroke={1.7} />} loading={isPending}>
            {t('Export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => mutate('csv')}>{t('As CSV')}</Menu.Item>
          <Menu.Item onClick={() => mutate('jsonl')}>{t('As JSON lines')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Text size="sm" role="status">
        {error !== null && explainFailure(failureOf(error))}
        {data === false &&
          t('These are only the latest lines, at most {count}. Choose fewer days for the others.', {
            count: MAX_EXPORTED,
          })}
      </Text>
    </>
  );
}
