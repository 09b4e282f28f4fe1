import { Button, Code, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconLock, IconPlugConnectedX, IconRefresh } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import type { Problem } from '../../wire/problem.ts';
import { apiErrorOf } from '../api/api-error.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { AskForHelp } from '../help/ask-for-help.tsx';
import { Name } from '../names/name.tsx';
import { useSession } from '../session/use-session.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import classes from './states.module.css';

type Icon = ComponentType<{ size?: number | string; stroke?: number | string }>;

/** A message in place of content, with an icon and an action. */
export function EmptyState({
  icon: Picture,
  title,
  children,
  action,
  color = 'lagoon',
  live = 'polite',
  compact = false,
}: {
  icon: Icon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  color?: string;
  live?: 'polite' | 'assertive';
  compact?: boolean;
}) {
  return (
    <div className={classes.state} data-compact={compact || undefined} role={live === 'assertive' ? 'alert' : 'status'}>
      <Stack align="center" gap="sm" maw={460}>
        <ThemeIcon size={compact ? 44 : 72} radius={999} variant="light" color={color}>
          <Picture size={compact ? 22 : 34} stroke={1.5} />
        </ThemeIcon>
        <Title order={2} ta="center" {...(compact ? { fz: 'md' } : { mt: 'xs' })}>
          {title}
        </Title>
        <Text component="div" c="dimmed" ta="center" size="sm">
          {children}
        </Text>
        {action}
      </Stack>
    </div>
  );
}

/** The message about a failed request, with a retry button. */
export function ErrorState({
  error,
  onRetry,
  title = t('This could not be loaded'),
}: {
  error: unknown;
  onRetry?: () => void;
  title?: string;
}) {
  const { code, problem } = apiErrorOf(error);
  if (code === 'access_denied' && problem?.action !== undefined && onRetry !== undefined)
    return <DeniedState action={problem.action} error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      icon={IconPlugConnectedX}
      title={title}
      color="red"
      live="assertive"
      action={onRetry && <Retry onClick={onRetry} />}
    >
      {explainFailure(failureOf(apiErrorOf(error)))}
      {problem !== undefined && (
        <>
          <Text size="xs" mt="xs" component="div">
            {rich('Request {id}', { id: <Code>{problem.request_id}</Code> })}
          </Text>
          <AskForHelp facts={{ Problem: problem.code, Action: problem.action, Request: problem.request_id }} />
        </>
      )}
    </EmptyState>
  );
}

/** Why somebody may not do something, in words. */
const DENIALS: Readonly<Record<NonNullable<Problem['reason']>, string>> = {
  no_matching_allow: t('Nobody has given you access.'),
  explicit_deny: t('Access was denied to you.'),
};

/** What somebody may not do, by the action that was asked. */
const REFUSALS: Readonly<Record<string, (place: ReactNode) => ReactNode>> = {
  'objects:get': (place) => rich('You may not open {place}.', { place }),
  'objects:list': (place) => rich('You may not see what is in {place}.', { place }),
  'buckets:list': (place) => rich('You may not see what is in {place}.', { place }),
  'objects:write': (place) => rich('You may not change {place}.', { place }),
  'objects:delete': (place) => rich('You may not delete {place}.', { place }),
};

type DeniedPlace = {
  readonly provider: string;
  readonly bucket?: string | undefined;
  readonly prefix?: string | undefined;
  readonly key?: string | undefined;
};

/** The resource of a policy decision. */
function placeIn(problem: Problem | undefined): DeniedPlace | undefined {
  const { provider, bucket, key } = problem?.resource ?? {};
  return provider === undefined ? undefined : { provider, bucket, key };
}

function refusalText(action: string, where: string): ReactNode {
  const place = (
    <strong className={classes.where}>
      <Name>{where}</Name>
    </strong>
  );
  return REFUSALS[action]?.(place) ?? rich('You may not do this in {place}.', { place });
}

/** The message that the user may not do something. @param error - the answer of the service, if the request was refused. */
export function DeniedState({
  action,
  place,
  error,
  onRetry,
  children,
}: {
  action: string;
  place?: DeniedPlace;
  error?: unknown;
  onRetry: () => void;
  children?: ReactNode;
}) {
  const { problem } = error === undefined ? {} : apiErrorOf(error);
  const at = place ?? placeIn(problem);
  const where =
    at === undefined
      ? undefined
      : [at.provider, at.bucket, at.key ?? at.prefix].filter((part) => part !== undefined && part !== '').join(' / ');
  const asked = { action: problem?.action ?? action, ...at };
  const isFile = asked.action === 'objects:get' && at?.key !== undefined;
  const session = useSession();
  const isAdmin = session.status === 'active' && session.account.isAdmin;
  return (
    <EmptyState
      icon={IconLock}
      title={isFile ? t('You may not open this file') : t('You have no access here')}
      color="yellow"
      live="assertive"
      action={<Retry onClick={onRetry} />}
    >
      {where === undefined ? t('You may not do this.') : refusalText(asked.action, where)}{' '}
      {problem?.reason !== undefined && `${DENIALS[problem.reason]} `}
      {isAdmin ? t('“Check access” says why.') : t('Ask an administrator of this service for access.')}
      {children}
      {problem !== undefined && (
        <Text size="xs" mt="xs" component="div">
          {rich('Request {id}', { id: <Code>{problem.request_id}</Code> })}
        </Text>
      )}
      <AskForHelp
        facts={{ Action: asked.action, Place: where, Reason: problem?.reason, Request: problem?.request_id }}
        {...(at !== undefined && { refused: { action: asked.action, place: at } })}
      />
    </EmptyState>
  );
}

export function Retry({ onClick }: { onClick: () => void }) {
  return (
    <Button variant="default" onClick={onClick} leftSection={<IconRefresh size={18} />} mt="xs">
      {t('Try again')}
    </Button>
  );
}
