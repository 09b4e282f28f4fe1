import { Alert, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { ExplainRequest, Explanation } from '../../wire/http.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { EffectBadge } from './effect-badge.tsx';
import { Names } from './names.tsx';
import type { Answer, Match } from './records.ts';
import { RuleName } from './rule-name.tsx';
import { SelectorText } from './selector-text.tsx';

const REASONS: Readonly<Record<Answer['reason'], string>> = {
  allowed: 'A rule allows it, and no rule denies it.',
  explicit_deny: 'A rule denies it. A deny overrides every allow.',
  no_matching_allow: 'No rule allows it, and what no rule allows is denied.',
};

const COLUMNS: readonly Column<Match>[] = [
  { name: 'Policy', cell: ({ policy, rule }) => <RuleName policy={policy} number={rule + 1} /> },
  { name: 'Effect', cell: ({ effect }) => <EffectBadge effect={effect} /> },
  { name: 'On', cell: ({ resource }) => <SelectorText selector={resource} /> },
];

/** The service's decision, and what it comes from. */
export function ExplanationView({ question, explanation }: { question: ExplainRequest; explanation: Explanation }) {
  const { allowed, answers, roles, policies } = explanation;
  const place = [question.provider, question.bucket, question.key].filter((part) => part !== undefined).join('/');
  const Picture = allowed ? IconCircleCheck : IconCircleX;
  return (
    <Stack gap="lg">
      <Alert color={allowed ? 'lagoon' : 'red'} icon={<Picture />} title={allowed ? 'Allowed' : 'Denied'} role="status">
        {question.action} on {place}
      </Alert>
      {answers.map(({ action, reason, matches }) => (
        <Stack key={action} gap="xs" component="section" aria-label={action}>
          <Text size="sm">
            {answers.length > 1 && <strong>{action}: </strong>}
            {REASONS[reason]}
          </Text>
          {matches.length > 0 && <DataTable label={`Rules about ${action}`} columns={COLUMNS} rows={matches} keyOf={(match) => JSON.stringify(match)} />}
        </Stack>
      ))}
      <Stack gap="xs" component="section" aria-label="What the person holds">
        <Text size="sm" fw={600}>
          What the person holds
        </Text>
        <Names names={roles.map((role) => `role ${role}`)} none="no role" />
        <Names names={policies} none="no policy: nothing is bound to this subject or to these groups" />
        <Text size="xs" c="dimmed">
          <Link to="/admin/bindings">Bindings</Link> say who gets which of them, <Link to="/admin/policies">policies</Link> what is in them.
        </Text>
      </Stack>
    </Stack>
  );
}
