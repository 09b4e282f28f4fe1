import { Badge, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ExplainRequest, Explanation } from '../../wire/http.ts';
import { DataTable, type Column } from '../table/data-table.tsx';
import { Holdings } from './holdings.tsx';
import { AnswerInFull } from './answer-in-full.tsx';
import { placeOf } from './place-of.ts';
import type { Answer } from './records.ts';

/** What the service would decide about every action on a place; the rules behind an answer are shown when they are asked for. */
export function ActionMatrix({ question, explanation }: { question: ExplainRequest; explanation: Explanation }) {
  const [shown, setShown] = useState<string>();
  const answer = explanation.answers.find(({ action }) => action === shown);
  const columns: readonly Column<Answer>[] = [
    { name: 'Action', cell: ({ action }) => <strong>{action}</strong>, sortBy: ({ action }) => action },
    { name: 'On', cell: (each) => subjectOf(each, question) },
    { name: 'Answer', cell: (each) => <Verdict answer={each} />, sortBy: ({ allowed }) => (allowed ? 0 : 1) },
    {
      name: 'Rules',
      silent: true,
      cell: ({ action }) => (
        <Button size="compact-sm" variant="default" aria-expanded={action === shown} aria-label={`Why: ${action}`} onClick={() => setShown(action === shown ? undefined : action)}>
          Why
        </Button>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <DataTable label={`Every action on ${placeOf(question)}`} columns={columns} rows={explanation.answers} keyOf={({ action }) => action} />
      {answer !== undefined && <AnswerInFull answer={answer} isNamed role="status" />}
      <Holdings explanation={explanation} />
    </Stack>
  );
}

function Verdict({ answer: { allowed, somewhere } }: { answer: Answer }) {
  const partly = !allowed && somewhere === true;
  return (
    <Badge variant="light" color={allowed ? 'lagoon' : partly ? 'yellow' : 'red'} radius="sm" tt="none" miw="max-content">
      {allowed ? 'Allowed' : partly ? 'Denied here, allowed further in' : 'Denied'}
    </Badge>
  );
}

function subjectOf({ action, unnamed }: Answer, { provider, bucket, prefix }: ExplainRequest): string {
  if (action.startsWith('providers:')) return 'the provider';
  if (action.startsWith('buckets:')) return bucket === undefined ? `any new bucket of ${provider}` : 'the bucket';
  if (unnamed !== true) return 'the object';
  if (bucket === undefined) return 'objects of a new bucket';
  return prefix === undefined ? 'a new object in the bucket' : 'a new object there';
}
