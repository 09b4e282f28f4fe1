import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { formatDateTime } from '../format/format.ts';
import { t } from '../words/words.ts';
import classes from './states.module.css';

/** Marks what is still shown although it could not be read again. @param since - when it was read, in milliseconds since the epoch. */
export function StaleNote({ since, onRetry }: { since: number; onRetry: () => void }) {
  return <Note text={t('This could not be refreshed. You see what was here on {time}.', { time: formatDateTime(new Date(since).toISOString()) })} onRetry={onRetry} />;
}

/** A failure beside what is shown anyway, and a way to try again. */
export function Note({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <div className={classes.banner} role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      <span>{text}</span>
      <Button size="compact-xs" variant="subtle" color="gray" onClick={onRetry}>
        {t('Try again')}
      </Button>
    </div>
  );
}
