import { Badge, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { atomicActions, type ActionName } from '../../wire/action-names.ts';
import type { ExplainRequest, Explanation } from '../../wire/http.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { Holdings } from './holdings.tsx';
import { AnswerInFull } from './answer-in-full.tsx';
import { placeOf } from './place-of.ts';
import type { Answer } from './records.ts';

type Props = {
  readonly question: ExplainRequest;
  /** The actions that are shown; every action if it is empty. */
  readonly actions: readonly ActionName[];
  readonly explanation: Explanation;
};

/** A table of the service's decision for several actions on a place. A button shows the rules behind a decision. */
export function ActionMatrix({ question, actions, explanation }: Props) {
  const [selected, setSelected] = useState<string>();
  const place = placeOf(question);
  const shown = new Set<string>(actions.flatMap(atomicActions));
  const columns: readonly Column<Answer>[] = [
    { name: t('Action'), cell: ({ action }) => <strong>{action}</strong>, sortBy: ({ action }) => action },
    { name: t('On'), cell: (each) => subjectOf(each, question) },
    { name: t('Answer'), cell: (each) => <Verdict answer={each} />, sortBy: ({ allowed }) => (allowed ? 0 : 1) },
    {
      name: t('Rules'),
      silent: true,
      cell: ({ action }) => (
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={action === selected}
          aria-label={t('Why: {action}', { action })}
          onClick={() => setSelected(action === selected ? undefined : action)}
        >
          {t('Why')}
        </Button>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <DataTable
        label={shown.size === 0 ? t('Every action on {place}', { place }) : t('Actions on {place}', { place })}
        columns={columns}
        rows={explanation.answers.filter(({ action }) => shown.size === 0 || shown.has(action))}
        keyOf={({ action }) => action}
        below={(answer) => answer.action === selected && <AnswerInFull answer={answer} isNamed isOpened />}
      />
      <Holdings explanation={explanation} />
    </Stack>
  );
}

function Verdict({ answer: { allowed, somewhere } }: { answer: Answer }) {
  const partly = !allowed && somewhere === true;
  return (
    <Badge
      variant="light"
      color={allowed ? 'lagoon' : partly ? 'yellow' : 'red'}
      radius="sm"
      tt="none"
      miw="max-content"
    >
      {allowed ? t('Allowed') : partly ? t('Denied here, allowed in a part of it') : t('Denied')}
    </Badge>
  );
}

function subjectOf({ action, unnamed }: Answer, { provider, bucket, prefix }: ExplainRequest): string {
  if (action.startsWith('providers:')) return t('the provider');
  if (action.startsWith('buckets:'))
    return bucket === undefined ? t('any new bucket of {provider}', { provider }) : t('the bucket');
  if (unnamed !== true) return t('the object');
  if (bucket === undefined) return t('objects of a new bucket');
  return prefix === undefined ? t('a new object in the bucket') : t('a new object there');
}
