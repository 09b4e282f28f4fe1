import { IconFileOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { refusalQuery } from '../api/head-query.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { apiErrorOf, isMissing } from '../api/api-error.ts';
import { DeniedState, EmptyState, ErrorState, Retry } from '../shell/states.tsx';
import { t } from '../words/words.ts';

/** The message that an object cannot be shown, with the reason. */
export function Failure({ object, error, onRetry }: { object: ObjectRef; error: Error; onRetry: () => void }) {
  const isDenied = apiErrorOf(error).code === 'access_denied';
  const { data: refusal } = useQuery({ ...refusalQuery(object), enabled: isDenied });
  if (isDenied)
    return (
      <DeniedState
        action="objects:get"
        place={{ provider: object.provider, bucket: object.bucket, key: object.key }}
        error={refusal ?? undefined}
        onRetry={onRetry}
      />
    );
  if (!isMissing(error)) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      icon={IconFileOff}
      title={t('There is no such file')}
      live="assertive"
      action={<Retry onClick={onRetry} />}
    >
      {t('It may have been moved or deleted meanwhile.')}
    </EmptyState>
  );
}
