import { Badge, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ExplainRequest, Explanation } from '../../wire/http.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { t } from '../words/words.ts';
import { Holdings } from './holdings.tsx';
import { AnswerInFull } from './answer-in-full.tsx';
import { placeOf } from './place-of.ts';
import type { Answer } from './records.ts';

/** A table of the service's decision for every action on a place. A button shows the rules behind a decision. */
export function ActionMatrix({ question, explanation }: { question: ExplainRequest; explanation: Explanation }) {
  const [selected, setSelected] = useState<string>();
  const answer = explanation.answers.find(({ action }) => action === selected);
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
        label={t('Every action on {place}', { place: placeOf(question) })}
        columns={columns}
        rows={explanation.answers}
        keyOf={({ action }) => action}
      />
      {answer !== undefined && <AnswerInFull answer={answer} isNamed role="status" />}
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
