import { DataTable, type Column } from '../table/data-table.tsx';
import { EffectBadge } from './effect-badge.tsx';
import type { Answer, Match } from './records.ts';
import { RuleName } from './rule-name.tsx';
import { SelectorText } from './selector-text.tsx';

export const REASONS: Readonly<Record<Answer['reason'], string>> = {
  allowed: 'A rule allows it, and no rule denies it.',
  explicit_deny: 'A rule denies it. A deny overrides every allow.',
  no_matching_allow: 'No rule allows it, and what no rule allows is denied.',
};

const COLUMNS: readonly Column<Match>[] = [
  { name: 'Policy', cell: ({ policy, rule }) => <RuleName policy={policy} number={rule + 1} /> },
  { name: 'Effect', cell: ({ effect }) => <EffectBadge effect={effect} /> },
  { name: 'On', cell: ({ resource }) => <SelectorText selector={resource} /> },
];

/** Every rule that has a say in an answer, from the widest to the narrowest; nothing where there is none. */
export function RulesAbout({ answer: { action, matches } }: { answer: Answer }) {
  if (matches.length === 0) return null;
  return <DataTable label={`Rules about ${action}`} columns={COLUMNS} rows={matches} keyOf={(match) => JSON.stringify(match)} />;
}
