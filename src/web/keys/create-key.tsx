import { Group, Select, Text, TextInput } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { API_KEYS } from '../admin/key-kinds.ts';
import { call } from '../api/rpc.ts';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import { expiryAfter, LifetimeSelect, MONTH } from './lifetime.tsx';
import { faultOfPlace, NOWHERE, PlaceOfKey, usePlace } from './place-of-key.tsx';
import { faultOfDraft, newDraft, scopeOf, type DraftRule } from './scope-draft.ts';
import { ScopeEditor } from './scope-editor.tsx';
import { showCredential } from './shown-once.tsx';
import { RIGHTS, scopeOfKey, type ToolRights } from './tool-scope.ts';

/** Opens the dialog that creates an API key. @param place - the place that is chosen at first. */
export function openCreateKey(client: QueryClient, place = NOWHERE): void {
  openDialog(t('Create API key'), (close) => <CreateKey client={client} initial={place} close={close} />, 'lg');
}

/** What a key may do: the rights at one place, or the rules that somebody wrote. */
type Choice = ToolRights | 'rules';
const CHOICES = [...RIGHTS, { value: 'rules', label: t('What I choose in detail') }];

function CreateKey({ client, initial, close }: { client: QueryClient; initial: Place; close: () => void }) {
  const [description, setDescription] = useState('');
  const [days, setDays] = useState<number | null>(MONTH);
  const [choice, setChoice] = useState<Choice>('read');
  const [chosen, setChosen] = useState(initial);
  const place = usePlace(chosen);
  const [drafts, setDrafts] = useState<readonly DraftRule[]>(() => [newDraft()]);
  const fault =
    description.trim() === ''
      ? t('Describe what the key is for.')
      : choice === 'rules'
        ? drafts.map(faultOfDraft).find((found) => found !== undefined)
        : faultOfPlace(place);

  async function submit(): Promise<void> {
    const { credential } = await call('apiKey/create', {
      description: description.trim(),
      scope: choice === 'rules' ? scopeOf(drafts) : scopeOfKey(place, choice),
      expiresAt: expiryAfter(days),
    });
    await client.invalidateQueries({ queryKey: API_KEYS.queryKey });
    showCredential(credential);
  }

  return (
    <DialogForm submitLabel={t('Create key')} close={close} submit={submit} disabled={fault !== undefined}>
      <Group gap="sm" align="flex-end" grow preventGrowOverflow={false}>
        <TextInput
          data-autofocus
          miw={220}
          label={t('Description')}
          placeholder={t('For example: nightly backup')}
          maxLength={200}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <LifetimeSelect choices={[1, 7, MONTH, 90, 365, null]} value={days} onChange={setDays} />
      </Group>
      <Select
        label={t('What it may do')}
        data={CHOICES}
        value={choice}
        allowDeselect={false}
        onChange={(value) => setChoice(value as Choice)}
      />
      {choice === 'rules' ? (
        <ScopeEditor drafts={drafts} onChange={setDrafts} />
      ) : (
        <PlaceOfKey place={place} onChange={setChosen} />
      )}
      <Text size="sm" c="dimmed" role="status">
        {fault ?? t('It can never do more than you can.')}
      </Text>
    </DialogForm>
  );
}
