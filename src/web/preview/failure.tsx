import { IconFileOff } from '@tabler/icons-react';
import { apiErrorOf, isMissing } from '../api/api-error.ts';
import { DeniedState, EmptyState, ErrorState, Retry } from '../shell/states.tsx';
import { t } from '../words/words.ts';

/** Why an object cannot be shown, and what to do. */
export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (apiErrorOf(error).code === 'access_denied') return <DeniedState action="objects:get" onRetry={onRetry} />;
  if (!isMissing(error)) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState icon={IconFileOff} title={t('There is no such file')} live="assertive" action={<Retry onClick={onRetry} />}>
      {t('It may have been moved or deleted meanwhile.')}
    </EmptyState>
  );
}
