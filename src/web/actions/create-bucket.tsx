import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bucketsQuery, refreshBuckets } from '../api/queries.ts';
import { placeLink } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { Surroundings } from './action.ts';
import { DialogForm, openDialog } from './dialog.tsx';
import { faultOfBucketName } from './key-name.ts';
import { createBucket } from '../api/object-calls.ts';

export function openCreateBucket(provider: string, around: Surroundings): void {
  openDialog(t('Create bucket'), (close) => <CreateBucket provider={provider} around={around} close={close} />);
}

function CreateBucket({ provider, around, close }: { provider: string; around: Surroundings; close: () => void }) {
  const [name, setName] = useState('');
  const { data: buckets = [] } = useQuery(bucketsQuery(provider));
  // Buckets listed by storage have a creation time; buckets listed in the configuration have none.
  const areNamed = buckets.length > 0 && buckets.every(({ created_at: at }) => at === null);
  const fault = name === '' ? undefined : faultOfBucketName(name);

  async function submit(): Promise<void> {
    await createBucket(provider, name);
    await refreshBuckets(around.queryClient, provider);
    around.navigate(placeLink({ provider, bucket: name, prefix: '' }));
  }

  return (
    <DialogForm
      submitLabel={t('Create bucket')}
      close={close}
      submit={submit}
      disabled={name === '' || fault !== undefined}
    >
      <TextInput
        data-autofocus
        label={t('Name')}
        description={
          <>
            {t('In {provider}. 3 to 63 lower-case letters, digits, dots and hyphens.', { provider })}
            {areNamed && (
              <Text span display="block" size="sm" mt="xs" mb="xs" c="var(--mantine-color-text)">
                {t(
                  'The configuration of the service lists the buckets of {provider}. Add the new name there first, otherwise it is refused.',
                  { provider },
                )}
              </Text>
            )}
          </>
        }
        value={name}
        error={fault}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
