import { Select } from '@mantine/core';
import { formatDuration } from '../format/format.ts';
import { t } from '../words/words.ts';

const DAY = 86_400;
const NEVER = 'never';
/** The clock of this computer may be ahead, and the service may limit the lifetime. */
const CLOCK_SLACK_SECONDS = 60;

/** The usual lifetime, in days. */
export const MONTH = 30;

/** Days from now as RFC 3339, or null for ever. */
export function expiryAfter(days: number | null): string | null {
  return days === null ? null : new Date(Date.now() + (days * DAY - CLOCK_SLACK_SECONDS) * 1_000).toISOString();
}

/** Chooses how long a key lives, in days; null is for ever. */
export function LifetimeSelect({
  choices,
  value,
  onChange,
}: {
  choices: readonly (number | null)[];
  value: number | null;
  onChange: (days: number | null) => void;
}) {
  return (
    <Select
      miw={140}
      label={t('Expires after')}
      data={choices.map((days) =>
        days === null
          ? { value: NEVER, label: t('never (until revoked)') }
          : { value: String(days), label: formatDuration(days * DAY, 'long') },
      )}
      value={value === null ? NEVER : String(value)}
      allowDeselect={false}
      onChange={(chosen) => onChange(chosen === NEVER ? null : Number(chosen))}
    />
  );
}
