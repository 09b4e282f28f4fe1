import { Alert, Button, Code, CopyButton, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { formatDuration } from '../format/format.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import type { ApiKey } from './api-key.ts';
import { createKey, keysQuery, replaceScope, revokeKey, rotateKey } from './key-calls.ts';
import { draftsOf, faultOfDraft, newDraft, scopeOf } from './scope-draft.ts';
import { ScopeEditor } from './scope-editor.tsx';

const DAY = 86_400;
const LIFETIMES = [1, 7, 30, 90, 365].map((days) => days * DAY);
const NEVER = 'never';

type InDialog = { readonly client: QueryClient; readonly close: () => void };

export function openCreateKey(client: QueryClient): void {
  openDialog(t('Create API key'), (close) => <CreateKey client={client} close={close} />, 'lg');
}

function CreateKey({ client, close }: InDialog) {
  const [description, setDescription] = useState('');
  const [lifetime, setLifetime] = useState(String(30 * DAY));
  const [drafts, setDrafts] = useState(() => [newDraft()] as readonly ReturnType<typeof newDraft>[]);
  const fault =
    description.trim() === ''
      ? t('Describe what the key is for.')
      : drafts.map(faultOfDraft).find((found) => found !== undefined);

  async function submit(): Promise<void> {
    const expiresAt = lifetime === NEVER ? null : new Date(Date.now() + Number(lifetime) * 1_000).toISOString();
    const { credential } = await createKey(description.trim(), scopeOf(drafts), expiresAt);
    await client.invalidateQueries({ queryKey: keysQuery.queryKey });
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
        <Select
          miw={140}
          label={t('Expires after')}
          data={[
            ...LIFETIMES.map((seconds) => ({ value: String(seconds), label: formatDuration(seconds, 'long') })),
            { value: NEVER, label: t('never (until revoked)') },
          ]}
          value={lifetime}
          allowDeselect={false}
          onChange={(value) => setLifetime(value ?? NEVER)}
        />
      </Group>
      <ScopeEditor drafts={drafts} onChange={setDrafts} />
      <Text size="sm" c="dimmed" role="status">
        {fault}
      </Text>
    </DialogForm>
  );
}

export function openReplaceScope(key: ApiKey, client: QueryClient): void {
  openDialog(
    t('Scope of “{description}”', { description: key.description }),
    (close) => <ReplaceScope apiKey={key} client={client} close={close} />,
    'lg',
  );
}

function ReplaceScope({ apiKey, client, close }: InDialog & { apiKey: ApiKey }) {
  const [drafts, setDrafts] = useState(() => draftsOf(apiKey.scope) as readonly ReturnType<typeof newDraft>[]);
  const fault = drafts.map(faultOfDraft).find((found) => found !== undefined);

  async function submit(): Promise<void> {
    await replaceScope(apiKey.id, scopeOf(drafts));
    await client.invalidateQueries({ queryKey: keysQuery.queryKey });
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

export function openRotate(key: ApiKey, client: QueryClient): void {
  openDialog(t('Rotate API key'), (close) => (
    <DialogForm
      submitLabel={t('Rotate')}
      close={close}
      submit={async () => {
        const { credential } = await rotateKey(key.id);
        await client.invalidateQueries({ queryKey: keysQuery.queryKey });
        showCredential(credential);
      }}
    >
      <Text>
        {rich('{key} gets a new credential. The old one stops working at once; description, scope and expiry stay.', {
          key: <strong>{key.description}</strong>,
        })}
      </Text>
    </DialogForm>
  ));
}

export function openRevoke(key: ApiKey, client: QueryClient): void {
  openDialog(t('Revoke API key'), (close) => (
    <DialogForm
      submitLabel={t('Revoke')}
      destructive
      close={close}
      submit={async () => {
        await revokeKey(key.id);
        await client.invalidateQueries({ queryKey: keysQuery.queryKey });
      }}
    >
      <Text>
        {rich('{key} ({id}) stops working at once. This cannot be undone.', {
          key: <strong>{key.description}</strong>,
          id: <Code>{key.id}</Code>,
        })}
      </Text>
    </DialogForm>
  ));
}

function showCredential(credential: string): void {
  openDialog(t('Your new credential'), (close) => <Credential credential={credential} close={close} />, 'lg');
}

/** Shows a new credential. The page does not store it and cannot show it again. */
function Credential({ credential, close }: { credential: string; close: () => void }) {
  return (
    <Stack gap="md">
      <Alert color="yellow">{t('It is shown only once. Copy it now, and store it in a safe place.')}</Alert>
      {/* In a field of one line, Chromium cuts off the underscores of some fonts. */}
      <Textarea
        label={t('Credential')}
        readOnly
        rows={2}
        value={credential}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', wordBreak: 'break-all' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Text size="sm" c="dimmed">
        {rich('Send it as {header} to /rpc, or give it to the command line as SVC_CREDENTIAL.', {
          header: <Code>authorization: Bearer …</Code>,
        })}
      </Text>
      <Group justify="flex-end" gap="sm">
        <CopyButton value={credential}>
          {({ copied, copy }) => (
            <Button
              data-autofocus
              variant="default"
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={copy}
            >
              {copied ? t('Copied') : t('Copy')}
            </Button>
          )}
        </CopyButton>
        <Button onClick={close}>{t('I have stored it')}</Button>
      </Group>
    </Stack>
  );
}
