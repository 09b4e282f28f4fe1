import { Badge } from '@mantine/core';
import { t } from '../words/words.ts';

export type Outcome = 'done' | 'denied' | 'failed' | 'partly' | 'unknown';

const COLORS: Readonly<Record<Exclude<Outcome, 'done'>, string>> = {
  denied: 'red',
  failed: 'orange',
  partly: 'yellow',
  unknown: 'gray',
};
const OUTCOMES: readonly Outcome[] = ['done', 'denied', 'failed', 'partly', 'unknown'];

export function outcomeText(outcome: Outcome): string {
  return {
    done: t('Done'),
    denied: t('Denied'),
    failed: t('Failed'),
    partly: t('Partly done'),
    unknown: t('Outcome unknown'),
  }[outcome];
}

/** The options of a select field for outcomes. */
export function outcomes(): { readonly value: Outcome; readonly label: string }[] {
  return OUTCOMES.map((value) => ({ value, label: outcomeText(value) }));
}

export function isOutcome(text: string | undefined): text is Outcome {
  return OUTCOMES.some((outcome) => outcome === text);
}

/** A badge for outcomes other than `done`. Most lines are `done` and need no badge. Only a resource can be `untouched`. */
export function OutcomeBadge({ outcome }: { readonly outcome: Outcome | 'untouched' }) {
  if (outcome === 'done') return null;
  return (
    <Badge
      variant="light"
      color={outcome === 'untouched' ? 'gray' : COLORS[outcome]}
      radius="sm"
      tt="none"
      miw="max-content"
    >
      {outcome === 'untouched' ? t('Not done') : outcomeText(outcome)}
    </Badge>
  );
}
