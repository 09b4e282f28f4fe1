import { Alert, Stack } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { ExplainRequest, Explanation } from '../../wire/http.ts';
import { t } from '../words/words.ts';
import { Holdings } from './holdings.tsx';
import { placeOf } from './place-of.ts';
import { AnswerInFull } from './answer-in-full.tsx';

/** The service's decision about one action, the matching rules, and the roles and policies of the person. */
export function ExplanationView({ question, explanation }: { question: ExplainRequest; explanation: Explanation }) {
  const { allowed, answers } = explanation;
  const Picture = allowed ? IconCircleCheck : IconCircleX;
  return (
    <Stack gap="lg">
      <Alert
        color={allowed ? 'lagoon' : 'red'}
        icon={<Picture />}
        title={allowed ? t('Allowed') : t('Denied')}
        role="status"
      >
        {t('{action} on {place}', { action: question.action ?? '', place: placeOf(question) })}
      </Alert>
      {answers.map((answer) => (
        <AnswerInFull key={answer.action} answer={answer} isNamed={answers.length > 1} />
      ))}
      <Holdings explanation={explanation} />
    </Stack>
  );
}
