import { Badge, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconServer2, IconUserQuestion } from '@tabler/icons-react';
import { Link } from 'react-router';
import { providersQuery } from '../api/queries.ts';
import { providerLink } from '../place/place.ts';
import { useAccount } from '../session/use-session.ts';
import { Page } from '../shell/page.tsx';
import { StaleNote } from '../shell/stale-note.tsx';
import { EmptyState, ErrorState } from '../shell/states.tsx';
import { BucketTable } from './bucket-table.tsx';
import classes from './browse.module.css';
import { ProviderButtons } from './provider-buttons.tsx';

/** `/`: every provider with its buckets. */
export function HomePage() {
  const { data, dataUpdatedAt, error, isPending, refetch } = useQuery(providersQuery);
  if (error !== null && data === undefined) {
    return (
      <Page title="Storage">
        <ErrorState error={error} onRetry={() => void refetch()} title="The providers could not be loaded" />
      </Page>
    );
  }
  if (data?.length === 0) return <NothingGranted />;
  return (
    <Page title="Storage" lead={data && `${data.length === 1 ? 'One storage provider' : `${data.length} storage providers`} that you may see`}>
      <Stack gap="xl">
        {isPending && <Skeleton h={160} />}
        {error !== null && <StaleNote since={dataUpdatedAt} onRetry={() => void refetch()} />}
        {data?.map(({ name, type }) => (
          <section key={name} aria-label={name}>
            <Group gap="xs" mb="xs">
              <IconServer2 size={20} stroke={1.7} aria-hidden />
              <h2 className={classes.heading}>
                <Link to={providerLink(name)} className={classes.link}>
                  {name}
                </Link>
              </h2>
              <Badge variant="default" fw={500}>
                {type}
              </Badge>
              <Group gap="xs" ml="auto">
                <ProviderButtons provider={name} quiet />
              </Group>
            </Group>
            <BucketTable provider={name} />
          </section>
        ))}
      </Stack>
    </Page>
  );
}

/** Signed in, and no policy grants anything: says who the caller is to the service, so that somebody can help. */
function NothingGranted() {
  const { subject, issuer, groups } = useAccount();
  return (
    <Page title="Storage">
      <EmptyState icon={IconUserQuestion} title="You are signed in, but nothing is shared with you yet">
        <Text>
          You have no access to any storage of this service. Send the following to the person who runs it, so that they can give you some.
        </Text>
        <dl className={classes.facts}>
          <dt>Subject</dt>
          <dd>
            <Code>{subject}</Code>
          </dd>
          {issuer !== '' && (
            <>
              <dt>Issuer</dt>
              <dd>
                <Code>{issuer}</Code>
              </dd>
            </>
          )}
          <dt>Groups</dt>
          <dd>{groups.length === 0 ? 'none came with your sign-in' : groups.map((group) => <Code key={group}>{group}</Code>)}</dd>
        </dl>
        <Text size="sm">Were you given a link to a folder? Open it: you may have access there.</Text>
      </EmptyState>
    </Page>
  );
}
