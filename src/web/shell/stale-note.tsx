import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { formatDateTime } from '../format/format.ts';
import { t } from '../words/words.ts';
import classes from './states.module.css';

/** A note that the shown data could not be refreshed. @param since - when the data was read, in milliseconds since the epoch. */
export function StaleNote({ since, onRetry }: { since: number; onRetry: () => void }) {
  return (
    <Note
      text={t('This could not be refreshed. It was last updated on {time}.', {
        time: formatDateTime(new Date(since).toISOString()),
      })}
      onRetry={onRetry}
    />
  );
}

/** A note about a failure above the content, with a retry button. */
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
