import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useStore } from 'zustand';
import { formatBytes } from '../../format/byte-size.ts';
import { headQuery } from '../api/head-query.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { baseName, folderOf } from '../place/place.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { otherKey, type ConflictAnswer, type ConflictQuestion } from '../work/conflict.ts';
import { conflicts } from '../work/work.ts';
import styles from './tray.module.css';

/** Asks what to do with files whose names are taken, one at a time. */
export function ConflictDialog() {
  const questions = useStore(conflicts.questions);
  const [question] = questions;
  return question ? <Question key={question.id} question={question} /> : null;
}

function Question({ question: { id, target, source } }: { question: ConflictQuestion }) {
  const [forAll, setForAll] = useState(false);
  const folder = folderOf(target.key);
  const name = (
    <strong>
      <Name>{baseName(target.key)}</Name>
    </strong>
  );

  const answer = (what: ConflictAnswer) => () => {
    conflicts.answer(id, what, forAll);
  };

  return (
    <Modal
      opened
      centered
      title={t('File already exists')}
      zIndex={400}
      onClose={answer('skip')}
      closeButtonProps={{ 'aria-label': t('Skip this file') }}
    >
      <Stack gap="md">
        <Text style={{ overflowWrap: 'anywhere' }}>
          {folder === ''
            ? rich('{name} already exists in the bucket.', { name })
            : rich('{name} already exists in {folder}.', { name, folder: <Name>{folder}</Name> })}
        </Text>
        <table className={`${styles['compared']} tabular`}>
          <thead>
            <tr>
              <td />
              <th scope="col">{t('Size')}</th>
              <th scope="col">{t('Last changed')}</th>
            </tr>
          </thead>
          <tbody>
            <StoredRow label={t('Existing file')} object={target} />
            {'size' in source ? (
              <MarksRow
                label={t('New file')}
                size={source.size}
                modified={new Date(source.lastModified).toISOString()}
              />
            ) : (
              <StoredRow label={t('New file')} object={source} />
            )}
          </tbody>
        </table>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {rich('If you keep both, the new file gets a name such as {name}.', {
            name: <Name>{baseName(otherKey(target.key, 2))}</Name>,
          })}
        </Text>
        <Checkbox
          label={t('Do the same for all other files that already exist')}
          checked={forAll}
          onChange={(event) => setForAll(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="xs">
          <Button px="md" variant="light" color="red" onClick={answer('replace')}>
            {t('Replace')}
          </Button>
          <Button px="md" variant="default" onClick={answer('skip')}>
            {t('Skip')}
          </Button>
          <Button px="md" onClick={answer('keep-both')} data-autofocus>
            {t('Keep both')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The size and time of a stored object. They are missing for a user who may not read it. */
function StoredRow({ label, object }: { label: string; object: ObjectRef }) {
  const { data } = useQuery({ ...headQuery(object), staleTime: 0 });
  return <MarksRow label={label} size={data?.size} modified={data?.modified?.toISOString()} />;
}

function MarksRow({
  label,
  size,
  modified,
}: {
  label: string;
  size: number | undefined;
  modified: string | undefined;
}) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{size === undefined ? '–' : formatBytes(size)}</td>
      <td>{modified === undefined ? '–' : formatDateTime(modified)}</td>
    </tr>
  );
}
