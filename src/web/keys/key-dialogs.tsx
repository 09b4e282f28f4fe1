import { Text } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import type { IssuedKey, Key, KeyKind } from '../admin/key-kinds.ts';
import { rich } from '../words/rich.ts';
import { visibleText } from '../names/visible.ts';
import { t } from '../words/words.ts';
import { draftsOf, faultOfDraft, scopeOf, type DraftRule } from './scope-draft.ts';
import { ScopeEditor } from './scope-editor.tsx';

export function openReplaceScope(key: Key, kind: KeyKind, client: QueryClient): void {
  openDialog(
    t('Scope of “{description}”', { description: visibleText(key.description) }),
    (close) => <ReplaceScope apiKey={key} kind={kind} client={client} close={close} />,
    'lg',
  );
}

type OfKey = { readonly apiKey: Key; readonly kind: KeyKind; readonly client: QueryClient; readonly close: () => void };

function ReplaceScope({ apiKey, kind, client, close }: OfKey) {
  const [drafts, setDrafts] = useState<readonly DraftRule[]>(() => draftsOf(apiKey.scope));
  const fault = drafts.map(faultOfDraft).find((found) => found !== undefined);

  async function submit(): Promise<void> {
    await kind.replaceScope(apiKey.id, scopeOf(drafts));
    await client.invalidateQueries({ queryKey: kind.queryKey });
  }

  return (
    <DialogForm submitLabel={t('Replace scope')} close={close} submit={submit} disabled={fault !== undefined}>
      <ScopeEditor drafts={drafts} onChange={setDrafts} />
      <Text size="sm" c="dimmed" role="status">
        {fault ?? t('The credential stays the same. The new scope applies from the next request.')}
      </Text>
    </DialogForm>
  );
}

/** Asks whether a key is to be rotated, and rotates it. @param show - shows the new secret. */
export function openRotate(key: Key, kind: KeyKind, show: (issued: IssuedKey) => void, client: QueryClient): void {
  openDialog(t('Rotate key'), (close) => (
    <DialogForm
      submitLabel={t('Rotate')}
      close={close}
      submit={async () => {
        const issued = await kind.rotate(key.id);
        await client.invalidateQueries({ queryKey: kind.queryKey });
        show(issued);
      }}
    >
      <Text>
        {rich('{key} gets a new credential. The old one stops working at once; description, scope and expiry stay.', {
          key: <strong>{visibleText(key.description)}</strong>,
        })}
      </Text>
    </DialogForm>
  ));
}
