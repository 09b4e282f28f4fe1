import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { refreshListing } from '../api/queries.ts';
import { useFolderPermissions } from '../permissions/use-permissions.ts';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import { faultOfName } from './key-name.ts';
import { createFolder } from '../api/object-calls.ts';

/** Creates a folder in the chosen folder and then chooses it. It contains no form element, because it is part of the form of a dialog. */
export function NewFolderHere({ place, onMade }: { place: Place; onMade: (place: Place) => void }) {
  const client = useQueryClient();
  const { mayHere, pending } = useFolderPermissions(place);
  const [name, setName] = useState('');
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const fault = name === '' ? undefined : faultOfName(name, place.prefix);
  if (!pending && !mayHere('objects:write')) {
    return (
      <Text size="sm" c="red" role="status">
        {t('You may not create folders here.')}
      </Text>
    );
  }

  async function make(): Promise<void> {
    if (name === '' || fault !== undefined || isWorking) return;
    setWorking(true);
    setProblem(undefined);
    const made = { ...place, prefix: `${place.prefix}${name}/` };
    try {
      await createFolder(made, made.prefix);
      await refreshListing(client, made);
      onMade(made);
    } catch (thrown) {
      const failure = failureOf(thrown);
      setProblem(
        failure.code === 'precondition_failed' ? t('A folder with this name already exists.') : explainFailure(failure),
      );
      setWorking(false);
    }
  }

  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        flex={1}
        autoFocus
        aria-label={t('Name of the new folder')}
        placeholder={t('Name of the new folder')}
        value={name}
        error={fault ?? problem}
        autoComplete="off"
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          void make();
        }}
      />
      <Button
        variant="light"
        loading={isWorking}
        disabled={pending || name === '' || fault !== undefined}
        onClick={() => void make()}
      >
        {t('Create')}
      </Button>
    </Group>
  );
}
