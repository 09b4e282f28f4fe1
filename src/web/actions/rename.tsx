import { Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { Name } from '../names/name.tsx';
import { hasHidden, inSentence } from '../names/visible.ts';
import type { Entry } from '../objects/entry.ts';
import { folderOf, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { Selection, Surroundings } from './action.ts';
import { DialogForm, openDialog } from './dialog.tsx';
import { runPlan } from './into-folder.ts';
import { faultOfName } from './key-name.ts';
import { isListed, listPage } from '../api/object-calls.ts';

export function openRename({ place, entries }: Selection, around: Surroundings): void {
  const [entry] = entries;
  if (entry)
    openDialog(entry.kind === 'folder' ? t('Rename folder') : t('Rename'), (close) => (
      <Rename place={place} entry={entry} around={around} close={close} />
    ));
}

function Rename({
  place,
  entry,
  around,
  close,
}: {
  place: Place;
  entry: Entry;
  around: Surroundings;
  close: () => void;
}) {
  const [name, setName] = useState(entry.name);
  const input = useRef<HTMLInputElement>(null);
  const parent = folderOf(entry.kind === 'folder' ? entry.key.slice(0, -1) : entry.key);
  const target = parent + name + (entry.kind === 'folder' ? '/' : '');
  const fault = name.includes('/')
    ? t('A name has no slash. “Move to…” puts it into another folder.')
    : faultOfName(name, parent);

  useEffect(() => {
    const dot = entry.kind === 'file' ? entry.name.lastIndexOf('.') : -1;
    input.current?.setSelectionRange(0, dot > 0 ? dot : entry.name.length);
  }, [entry]);

  async function submit(): Promise<void> {
    if (await isUsed(place, target))
      throw new ApiError('conflict', t('“{name}” already exists. Choose another name.', { name }));
    around.clearSelection();
    const names = { before: inSentence(entry.name), after: inSentence(name) };
    void runPlan(
      { from: place, to: place, steps: [{ from: entry, to: target }], move: true },
      { title: t('Renaming {before} to {after}', names), doneTitle: t('Renamed {before} to {after}', names) },
      around,
    );
  }

  return (
    <DialogForm
      submitLabel={t('Rename')}
      close={close}
      submit={submit}
      disabled={name === entry.name || fault !== undefined}
    >
      <TextInput
        data-autofocus
        ref={input}
        label={t('New name')}
        value={name}
        error={fault}
        description={hasHidden(name) && <HiddenNote name={name} />}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {entry.kind === 'folder' && (
        <Text size="sm" c="dimmed">
          {t(
            'Storage cannot rename folders. Every file in the folder is copied to its new name and then deleted under the old one. Existing links to the files stop working.',
          )}
        </Text>
      )}
    </DialogForm>
  );
}

function HiddenNote({ name }: { name: string }) {
  return (
    <>
      {t('It contains invisible characters:')} <Name>{name}</Name>
    </>
  );
}

/** Whether the new name is taken, as far as the user may list it. The service checks the other names when it copies. */
async function isUsed(place: Place, target: string): Promise<boolean> {
  if (!target.endsWith('/')) return isListed({ ...place, key: target });
  const page = await listPage(place, { prefix: target, limit: 1 });
  return page.objects.length > 0;
}
