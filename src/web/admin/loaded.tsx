import { Center, Loader } from '@mantine/core';
import { IconQuestionMark, IconShieldLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import { apiErrorOf, isInvalid } from '../api/api-error.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { StaleNote } from '../shell/stale-note.tsx';
import { EmptyState, ErrorState } from '../shell/states.tsx';
import { t } from '../words/words.ts';

type Query<T> = {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly dataUpdatedAt: number;
  readonly refetch: () => unknown;
};

/** Shows the data of a query, a loader, or the error. */
export function Loaded<T>({ query, children }: { query: Query<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error !== null && <StaleNote since={query.dataUpdatedAt} onRetry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error === null)
    return (
      <Center h={200}>
        <Loader role="status" aria-label={t('Loading')} />
      </Center>
    );
  if (apiErrorOf(query.error).code === 'admin_required') return <NeedsAdmin />;
  if (isInvalid(query.error))
    return (
      <EmptyState icon={IconQuestionMark} title={t('This cannot be asked')} color="yellow">
        {explainFailure(failureOf(apiErrorOf(query.error)))}
      </EmptyState>
    );
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
}

export function NeedsAdmin() {
  return (
    <EmptyState icon={IconShieldLock} title={t('This needs the admin role')} color="yellow">
      {t('Ask an administrator of this service to bind you to the role admin.')}
    </EmptyState>
  );
}
