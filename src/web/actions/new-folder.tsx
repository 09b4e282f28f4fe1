import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { failureOf } from '../../transfer/failure.ts';
import { ApiError } from '../api/api-error.ts';
import { refreshListing } from '../api/queries.ts';
import { inSentence } from '../names/visible.ts';
import { placeName, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { Surroundings } from './action.ts';
import { createdFolder } from './created-folder.ts';
import { DialogForm, openDialog } from './dialog.tsx';
import { faultOfName } from './key-name.ts';
import { createFolder } from '../api/object-calls.ts';

export function openNewFolder(place: Place, around: Surroundings): void {
  openDialog(t('New folder'), (close) => <NewFolder place={place} around={around} close={close} />);
}

function NewFolder({ place, around, close }: { place: Place; around: Surroundings; close: () => void }) {
  const [name, setName] = useState('');
  const fault = name === '' ? undefined : faultOfName(name, place.prefix);

  async function submit(): Promise<void> {
    try {
      await createFolder(place, `${place.prefix}${name}/`);
    } catch (thrown) {
      if (failureOf(thrown).code !== 'precondition_failed') throw thrown;
      throw new ApiError('conflict', t('A folder named “{name}” already exists. Choose another name.', { name }));
    }
    await refreshListing(around.queryClient, place);
    // A closed dialog returns the focus, so it closes before the row gets the focus.
    flushSync(close);
    createdFolder.setState({ ...place, prefix: `${place.prefix}${name.split('/')[0]}/` }, true);
  }

  return (
    <DialogForm
      submitLabel={t('Create folder')}
      close={close}
      submit={submit}
      disabled={name === '' || fault !== undefined}
    >
      <TextInput
        data-autofocus
        label={t('Name')}
        description={t('In {place}. Use slashes to create folders within folders.', {
          place: inSentence(placeName(place)),
        })}
        value={name}
        error={fault}
        autoComplete="off"
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
