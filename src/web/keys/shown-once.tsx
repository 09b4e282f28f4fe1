import { Alert, Button, Code, CopyButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { openDialog } from '../actions/dialog.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';

export function showCredential(credential: string): void {
  openDialog(
    t('Your new credential'),
    (close) => (
      <ShownOnce copies={credential} close={close}>
        <SecretField label={t('Credential')} value={credential} rows={2} />
        <Text size="sm" c="dimmed">
          {rich('Send it as {header} to /rpc, or give it to the command line as SVC_CREDENTIAL.', {
            header: <Code>authorization: Bearer …</Code>,
          })}
        </Text>
      </ShownOnce>
    ),
    'lg',
  );
}

/** The content of a dialog with a new secret. The page does not store it and cannot show it again. @param copies - the text that the button copies. @param copyLabel - what the button says. */
export function ShownOnce({
  copies,
  copyLabel = t('Copy'),
  close,
  more,
  children,
}: {
  copies: string;
  copyLabel?: string;
  close: () => void;
  more?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Stack gap="md">
      <Alert color="yellow">{t('The secret is shown only once. Copy it now, and store it in a safe place.')}</Alert>
      {children}
      <Group justify="flex-end" gap="sm">
        {more}
        <CopyButton value={copies}>
          {({ copied, copy }) => (
            <Button
              data-autofocus
              variant="default"
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={copy}
            >
              {copied ? t('Copied') : copyLabel}
            </Button>
          )}
        </CopyButton>
        <Button onClick={close}>{t('I have stored it')}</Button>
      </Group>
    </Stack>
  );
}

/** A text with a secret. In a field of one line, Chromium cuts off the underscores of some fonts. @param isCode - whether its lines are kept, and scroll sideways. */
export function SecretField({
  label,
  value,
  rows,
  isCode = false,
}: {
  label: string;
  value: string;
  rows: number;
  isCode?: boolean;
}) {
  return (
    <Textarea
      label={label}
      readOnly
      rows={rows}
      value={value}
      spellCheck={false}
      styles={{
        input: {
          fontFamily: 'var(--mantine-font-family-monospace)',
          ...(isCode ? { whiteSpace: 'pre', overflowX: 'auto' } : { wordBreak: 'break-all' }),
        },
      }}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}
