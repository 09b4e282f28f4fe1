import { Group, Text, TextInput } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { API_KEYS } from '../admin/key-kinds.ts';
import { call } from '../api/rpc.ts';
import { t } from '../words/words.ts';
import { expiryAfter, LifetimeSelect, MONTH } from './lifetime.tsx';
import { faultOfDraft, newDraft, scopeOf, type DraftRule } from './scope-draft.ts';
import { ScopeEditor } from './scope-editor.tsx';
import { showCredential } from './shown-once.tsx';

export function openCreateKey(client: QueryClient): void {
  openDialog(t('Create API key'), (close) => <CreateKey client={client} close={close} />, 'lg');
}

function CreateKey({ client, close }: { client: QueryClient; close: () => void }) {
  const [description, setDescription] = useState('');
  const [days, setDays] = useState<number | null>(MONTH);
  const [drafts, setDrafts] = useState<readonly DraftRule[]>(() => [newDraft()]);
  const fault =
    description.trim() === ''
      ? t('Describe what the key is for.')
      : drafts.map(faultOfDraft).find((found) => found !== undefined);

  async function submit(): Promise<void> {
    const { credential } = await call('apiKey/create', {
      description: description.trim(),
      scope: scopeOf(drafts),
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
      <ScopeEditor drafts={drafts} onChange={setDrafts} />
      <Text size="sm" c="dimmed" role="status">
        {fault}
      </Text>
    </DialogForm>
  );
}
