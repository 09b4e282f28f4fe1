import { Text } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { Name } from '../names/name.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import type { Key, KeyKind } from './key-kinds.ts';

/** Asks whether a key is to be revoked, and revokes it. */
export function openRevoke({ id, description, creator }: Key, kind: KeyKind, client: QueryClient): void {
  openDialog(t('Revoke key'), (close) => (
    <DialogForm
      submitLabel={t('Revoke')}
      destructive
      close={close}
      submit={async () => {
        await kind.revoke(id);
        await client.invalidateQueries({ queryKey: kind.queryKey });
      }}
    >
      <Text>
        {rich(
          'The key {key} of {person} stops working at once. Everything that uses it fails. This cannot be undone.',
          {
            key: (
              <strong>
                <Name>{description}</Name>
              </strong>
            ),
            person: <Name>{creator.name}</Name>,
          },
        )}
      </Text>
    </DialogForm>
  ));
}
