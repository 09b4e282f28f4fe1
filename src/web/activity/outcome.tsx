import { Badge } from '@mantine/core';
import { t } from '../words/words.ts';

export type Outcome = 'done' | 'denied' | 'failed' | 'partly' | 'unknown';

const COLORS: Readonly<Record<Outcome, string>> = { done: 'lagoon', denied: 'red', failed: 'orange', partly: 'yellow', unknown: 'gray' };

/** How something ended, as people say it. */
export function outcomeText(outcome: Outcome): string {
  return { done: t('Done'), denied: t('Denied'), failed: t('Failed'), partly: t('Done in part'), unknown: t('End not known') }[outcome];
}

/** Every outcome, to choose from. */
export function outcomes(): { readonly value: Outcome; readonly label: string }[] {
  return (Object.keys(COLORS) as Outcome[]).map((value) => ({ value, label: outcomeText(value) }));
}

export function isOutcome(text: string | undefined): text is Outcome {
  return text !== undefined && Object.hasOwn(COLORS, text);
}

export function OutcomeBadge({ outcome }: { readonly outcome: Outcome }) {
  return (
    <Badge variant="light" color={COLORS[outcome]} radius="sm" tt="none" miw="max-content">
      {outcomeText(outcome)}
    </Badge>
  );
}
