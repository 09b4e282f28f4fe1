import { Alert, Button, Group, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { closeModal, openModal } from '../parts/dialogs.tsx';
import { t } from '../words/words.ts';

let nextId = 1;

/** Opens a dialog. @param body - renders the content; it receives a function that closes the dialog. */
export function openDialog(title: string, body: (close: () => void) => ReactNode, size: 'md' | 'lg' = 'md'): void {
  const modalId = `dialog-${nextId++}`;
  const close = () => {
    closeModal(modalId);
  };
  void openModal({
    modalId,
    title,
    size,
    centered: true,
    closeOnClickOutside: size !== 'lg',
    closeButtonProps: { 'aria-label': t('Close') },
    children: body(close),
  });
}

export type DialogFormProps = {
  readonly submitLabel: string;
  readonly destructive?: boolean;
  readonly disabled?: boolean;
  readonly close: () => void;
  /** Does what the dialog is for. The dialog closes when the promise resolves, and shows the error when it rejects. */
  readonly submit: () => Promise<void>;
  readonly children: ReactNode;
};

/** The form of a dialog: the content, the error, a Cancel button and a submit button. */
export function DialogForm({
  submitLabel,
  destructive = false,
  disabled = false,
  close,
  submit,
  children,
}: DialogFormProps) {
  const [working, setWorking] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function run(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (disabled || working) return;
    setWorking(true);
    setProblem(undefined);
    try {
      await submit();
      close();
    } catch (thrown) {
      setProblem(explainFailure(failureOf(thrown)));
      setWorking(false);
    }
  }

  return (
    <form onSubmit={(event) => void run(event)} noValidate>
      <Stack gap="md">
        {children}
        {problem !== undefined && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} role="alert">
            {problem}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus={destructive || undefined}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={working} disabled={disabled} {...(destructive ? { color: 'red' } : {})}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
