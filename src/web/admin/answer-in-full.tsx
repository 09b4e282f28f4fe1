import { Stack, Text } from '@mantine/core';
import { DataTable, type Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { EffectBadge } from './effect-badge.tsx';
import type { Answer, Match } from './records.ts';
import { RuleName } from './rule-name.tsx';
import { SelectorText } from './selector-text.tsx';

const REASONS: Readonly<Record<Answer['reason'], string>> = {
  allowed: t('A rule allows it, and no rule denies it.'),
  explicit_deny: t('A rule denies it. A deny overrides every allow.'),
  no_matching_allow: t('No rule allows it, and what no rule allows is denied.'),
};

const COLUMNS: readonly Column<Match>[] = [
  { name: t('Policy'), cell: ({ policy, rule }) => <RuleName policy={policy} number={rule + 1} /> },
  { name: t('Effect'), cell: ({ effect }) => <EffectBadge effect={effect} /> },
  { name: t('On'), cell: ({ resource }) => <SelectorText selector={resource} /> },
];

function reveal(section: HTMLElement | null): void {
  section?.focus({ preventScroll: true });
  section?.scrollIntoView({ block: 'nearest' });
}

/**
 * Explains why an action is allowed or denied, with every matching rule, from the broadest to the narrowest resource.
 *
 * @param isNamed - whether the text contains the name of the action.
 * @param isOpened - whether it appears on a click: then it is scrolled to and has the focus.
 */
export function AnswerInFull({
  answer: { action, reason, matches },
  isNamed,
  isOpened = false,
}: {
  answer: Answer;
  isNamed: boolean;
  isOpened?: boolean;
}) {
  return (
    <Stack gap="xs" component="section" aria-label={action} {...(isOpened && { ref: reveal, tabIndex: -1 })}>
      <Text size="sm">
        {isNamed && <strong>{action}: </strong>}
        {REASONS[reason]}
      </Text>
      {matches.length > 0 && (
        <DataTable
          label={t('Rules about {action}', { action })}
          columns={COLUMNS}
          rows={matches}
          keyOf={(match) => JSON.stringify(match)}
        />
      )}
    </Stack>
  );
}
