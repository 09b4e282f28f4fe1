import { Badge, Group, Stack, Text } from '@mantine/core';
import { IconBucket, IconFile, IconFolder, IconServer2, IconServerOff } from '@tabler/icons-react';
import type { View } from '../../wire/http.ts';
import type { Action as UiAction, Selection } from '../actions/action.ts';
import { actions } from '../actions/registry.ts';
import { Name } from '../names/name.tsx';
import { EmptyState } from '../shell/states.tsx';
import { plural, t } from '../words/words.ts';
import { Holdings } from './holdings.tsx';
import classes from './view-as-tab.module.css';

type Provider = View['providers'][number];
type Bucket = Provider['buckets'][number];
type Place = Bucket['places'][number];
type Allowed = { readonly actions: readonly string[]; readonly here?: readonly string[] | undefined };

/** The providers, buckets and places that a person sees, each with the buttons that the person would have there. */
export function PersonView({ view }: { view: View }) {
  return (
    <Stack gap="lg">
      {view.providers.length === 0 ? (
        <EmptyState icon={IconServerOff} title={t('Nothing')}>
          {t('This person sees no storage: no rule allows anything.')}
        </EmptyState>
      ) : (
        view.providers.map((provider) => (
          <ProviderView key={provider.name} provider={provider} person={personOf(view)} />
        ))
      )}
      {view.left_out > 0 && (
        <Text size="sm" c="dimmed">
          {plural(
            view.left_out,
            'One more bucket or folder is not shown.',
            '{count} more buckets and folders are not shown.',
          )}
        </Text>
      )}
      {view.admin && <Text size="sm">{t('This person also sees the administration.')}</Text>}
      <Holdings explanation={view} />
    </Stack>
  );
}

/** The properties of a person that decide about buttons, in addition to the permissions in a place. */
type Viewed = { readonly isAdmin: boolean; readonly writesSomewhere: boolean };

function personOf({ admin, providers }: View): Viewed {
  const allowed = providers.flatMap(({ others, buckets }) => [
    others,
    ...buckets.flatMap(({ actions: inBucket, places }) => [inBucket, ...places.map((place) => place.actions)]),
  ]);
  return {
    isAdmin: admin,
    writesSomewhere: allowed.some((some) => (some as readonly string[]).includes('objects:write')),
  };
}

function ProviderView({
  provider: { name, listed, others, buckets, ...allowed },
  person,
}: {
  provider: Provider;
  person: Viewed;
}) {
  return (
    <section className={classes.card} aria-label={t('Provider {name}', { name })}>
      <Group gap="sm" className={classes.head} justify="space-between">
        <Group gap="sm">
          <IconServer2 size={20} stroke={1.7} aria-hidden />
          <span className={classes.name}>{name}</span>
          <Unlisted listed={listed} />
        </Group>
        <Buttons labels={labelsOf(actions.provider, allowed, person)} />
      </Group>
      {buckets.map((bucket) => (
        <BucketView key={bucket.name} bucket={bucket} person={person} />
      ))}
      <div className={classes.row}>
        <Text size="sm" c="dimmed">
          {othersOf(others)}
        </Text>
      </div>
    </section>
  );
}

/** The sentence about the buckets that neither the configuration nor a policy names. */
function othersOf(others: readonly string[]): string {
  const onObjects = others.filter((action) => action.startsWith('objects:'));
  const what = { actions: onObjects.length === 0 ? t('nothing') : onObjects.join(', ') };
  return others.includes('buckets:read')
    ? t('All other buckets are listed too. Allowed in them: {actions}.', what)
    : t('No other bucket is listed. Allowed in other buckets: {actions}.', what);
}

function BucketView({ bucket: { name, listed, places, ...allowed }, person }: { bucket: Bucket; person: Viewed }) {
  return (
    <div className={classes.row}>
      <Group gap="sm" justify="space-between">
        <Group gap="sm">
          <IconBucket size={18} stroke={1.7} aria-hidden />
          <span className={classes.name}>{name}</span>
          <Unlisted listed={listed} />
        </Group>
        <Buttons
          labels={[
            ...labelsOf(actions.folder, allowed, person),
            ...labelsOf(actions.entries.filter(isForRows), allowed, person),
            ...labelsOf(actions.bucket, allowed, person),
          ]}
        />
      </Group>
      {places.map((place) => (
        <PlaceView key={JSON.stringify([place.prefix, place.key])} place={place} person={person} />
      ))}
    </div>
  );
}

function PlaceView({ place, person }: { place: Place; person: Viewed }) {
  const { prefix, key } = place;
  const Picture = prefix === undefined ? IconFile : IconFolder;
  return (
    <Group gap="sm" justify="space-between" className={classes.place}>
      <Group gap="sm" wrap="nowrap">
        <Picture size={18} stroke={1.7} aria-hidden />
        <span className={classes.name}>
          <Name>{prefix ?? key ?? ''}</Name>
        </span>
      </Group>
      <Buttons
        labels={
          prefix === undefined
            ? labelsOf(actions.entries.filter(isForFiles), place, person)
            : [
                ...labelsOf(actions.folder, place, person),
                ...labelsOf(actions.entries.filter(isForRows), place, person),
              ]
        }
      />
    </Group>
  );
}

const FILE = { kind: 'file', key: 'name', name: 'name', size: 0, etag: '', last_modified: '' } as const;
const FOLDER = { kind: 'folder', key: 'name/', name: 'name' } as const;

function isFor(action: UiAction<Selection>, ...entries: Selection['entries']): boolean {
  return action.fits?.({ place: { provider: '', bucket: '', prefix: '' }, entries }) !== false;
}

function isForRows(action: UiAction<Selection>): boolean {
  return isFor(action, FILE) || isFor(action, FOLDER) || isFor(action, FILE, FOLDER);
}

function isForFiles(action: UiAction<Selection>): boolean {
  return isFor(action, FILE);
}

function Unlisted({ listed }: { listed: boolean }) {
  if (listed) return null;
  return (
    <Badge variant="default" tt="none" fw={500}>
      {t('not listed, opens with a link')}
    </Badge>
  );
}

/**
 * The labels of the buttons and menu items that a person with these permissions sees, without duplicates. The conditions are those of the UI: an action that
 * needs no permission is for administrators, and an action that puts objects somewhere requires a place that the person may write to.
 */
function labelsOf<Target>(
  given: readonly UiAction<Target>[],
  { actions: somewhere, here = somewhere }: Allowed,
  { isAdmin, writesSomewhere }: Viewed,
): string[] {
  const isShown = ({ needs, puts }: UiAction<Target>) =>
    needs.every((need) => (puts === true ? here : somewhere).includes(need)) &&
    (needs.length > 0 || isAdmin) &&
    (puts !== true || writesSomewhere);
  return [...new Set(given.filter(isShown).map(({ label }) => label))];
}

function Buttons({ labels }: { labels: readonly string[] }) {
  return (
    <Group gap={6} component="ul" m={0} p={0} aria-label={t('Buttons')}>
      {[...new Set(labels)].map((label) => (
        <Badge key={label} component="li" variant="light" color="gray" tt="none" fw={500} radius="sm">
          {label}
        </Badge>
      ))}
    </Group>
  );
}
