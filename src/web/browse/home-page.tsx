import { Button, Code, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFileUpload, IconSearch, IconUserQuestion } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useStore } from 'zustand';
import { formatBytes } from '../../format/byte-size.ts';
import { providersQuery } from '../api/queries.ts';
import { AskForHelp } from '../help/ask-for-help.tsx';
import { Name } from '../names/name.tsx';
import { baseName, folderOf, placeLink } from '../place/place.ts';
import { places, useKeptPlaces } from '../places/places.ts';
import { searchFrom } from '../place/search-question.ts';
import { useAccount } from '../session/use-session.ts';
import { Page } from '../shell/page.tsx';
import { StaleNote } from '../shell/stale-note.tsx';
import { EmptyState, ErrorState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import { withoutThoseUnderway } from '../work/remembered.ts';
import { interruptedAsked, remembered, uploads } from '../work/work.ts';
import classes from './browse.module.css';
import { PlaceList } from './place-list.tsx';
import { ProviderRow } from './provider-row.tsx';

const SHOWN_RECENT = 8;

/** The home page at `/`: the favourites, the unfinished uploads, the recent folders, and the storage that the user may see. */
export function HomePage() {
  const { data, dataUpdatedAt, error, isPending, refetch } = useQuery(providersQuery);
  const { favourites, recent } = useKeptPlaces();
  const latest = recent.slice(0, SHOWN_RECENT);
  const unfinished = withoutThoseUnderway(remembered.list(), useStore(uploads.view).uploads);
  if (error !== null && data === undefined) {
    return (
      <Page title={t('Home')}>
        <ErrorState error={error} onRetry={() => void refetch()} title={t('The providers could not be loaded')} />
      </Page>
    );
  }
  if (data?.length === 0) return <NothingGranted />;
  return (
    <Page
      title={t('Home')}
      actions={
        <Button component={Link} to={searchFrom(undefined)} variant="default" leftSection={<IconSearch size={17} />}>
          {t('Search')}
        </Button>
      }
    >
      <Stack gap="xl">
        {favourites.length > 0 && (
          <Section title={t('Favourites')}>
            <PlaceList label={t('Favourites')} places={favourites} onRemove={(place) => places.toggle(place)} />
          </Section>
        )}
        {unfinished.length > 0 && (
          <Section
            title={t('Interrupted uploads')}
            note={t('To continue an upload, choose the same file again in Transfers.')}
          >
            <ul className={classes.places} aria-label={t('Interrupted uploads')}>
              {unfinished.map(({ uploadId, target, file }) => (
                <li key={uploadId} className={classes.place}>
                  <Link to={placeLink({ ...target, prefix: folderOf(target.key) })} className={classes.placeLink}>
                    <IconFileUpload size={20} stroke={1.7} aria-hidden />
                    <span className={classes.placeText}>
                      <span className={classes.placeName}>
                        <Name cut>{baseName(target.key)}</Name>
                      </span>
                      <span className={classes.placeWay}>
                        {t('{size} · to {bucket}', { size: formatBytes(file.size), bucket: target.bucket })}
                      </span>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
            <Button variant="default" mt="xs" onClick={() => interruptedAsked.setState((asked) => asked + 1, true)}>
              {t('Continue in Transfers')}
            </Button>
          </Section>
        )}
        {latest.length > 0 && (
          <Section
            title={t('Recent')}
            note={favourites.length === 0 ? t('To keep a folder here, click the star beside its name.') : undefined}
          >
            <PlaceList label={t('Recent')} places={latest} />
          </Section>
        )}
        <Section title={t('Storage')}>
          {isPending && <Skeleton h={120} />}
          {error !== null && <StaleNote since={dataUpdatedAt} onRetry={() => void refetch()} />}
          <ul className={classes.card} aria-label={t('Storage providers')}>
            {data?.map(({ name }) => (
              <ProviderRow key={name} provider={name} />
            ))}
          </ul>
        </Section>
      </Stack>
    </Page>
  );
}

function Section({ title, note, children }: { title: string; note?: string | undefined; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className={classes.heading}>{title}</h2>
      {note !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {note}
        </Text>
      )}
      {children}
    </section>
  );
}

/** The home page of a user without any access. It shows the subject, the issuer and the groups, so that an operator can grant access. */
function NothingGranted() {
  const { subject, issuer, groups } = useAccount();
  return (
    <Page title={t('Home')}>
      <EmptyState icon={IconUserQuestion} title={t('You are signed in, but nothing is shared with you yet')}>
        <Text>
          {t(
            'You have no access to any storage of this service. Send these details to an administrator, who can give you access.',
          )}
        </Text>
        <dl className={classes.facts}>
          <dt>{t('Subject')}</dt>
          <dd>
            <Code>{subject}</Code>
          </dd>
          {issuer !== '' && (
            <>
              <dt>{t('Issuer')}</dt>
              <dd>
                <Code>{issuer}</Code>
              </dd>
            </>
          )}
          <dt>{t('Groups')}</dt>
          <dd>
            {groups.length === 0
              ? t('none received with your sign-in')
              : groups.map((group) => <Code key={group}>{group}</Code>)}
          </dd>
        </dl>
        <AskForHelp />
        <Text size="sm" mt="sm">
          {t('If you have a link to a folder, open it. You may have access there.')}
        </Text>
      </EmptyState>
    </Page>
  );
}
