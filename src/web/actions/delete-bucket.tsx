import { Code, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { refreshBuckets } from '../api/queries.ts';
import { providerLink } from '../place/place.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import type { BucketTarget, Surroundings } from './action.ts';
import { DialogForm, openDialog } from './dialog.tsx';
import { deleteBucket } from '../api/object-calls.ts';

export function openDeleteBucket(bucket: BucketTarget, around: Surroundings): void {
  openDialog(t('Delete bucket'), (close) => <DeleteBucket target={bucket} around={around} close={close} />);
}

function DeleteBucket({ target, around, close }: { target: BucketTarget; around: Surroundings; close: () => void }) {
  const [typed, setTyped] = useState('');

  async function submit(): Promise<void> {
    await deleteBucket(target);
    await refreshBuckets(around.queryClient, target.provider);
    around.navigate(providerLink(target.provider));
    notifications.show({ message: t('The bucket “{bucket}” is deleted.', { bucket: target.bucket }) });
  }

  return (
    <DialogForm
      submitLabel={t('Delete bucket')}
      destructive
      close={close}
      submit={submit}
      disabled={typed !== target.bucket}
    >
      <Text>
        {rich('The bucket {bucket} of {provider} will be deleted. It has to be empty. This cannot be undone.', {
          bucket: <Code>{target.bucket}</Code>,
          provider: target.provider,
        })}
      </Text>
      <TextInput
        data-autofocus
        label={t('Type the bucket’s name to confirm')}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
