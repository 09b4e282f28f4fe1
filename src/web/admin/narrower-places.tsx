import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Name } from '../names/name.tsx';
import { t } from '../words/words.ts';
import { policiesQuery, type WhoQuestion } from './admin-queries.ts';
import { narrowerPlaces, type NarrowerPlace } from './rule-filter.ts';

/** The maximum number of places that are shown. */
const MAX_PLACES = 20;

/**
 * Says where narrower rules apply inside the bucket or folder of a question, because the answer does not cover these places.
 *
 * @param actions - those for which the answer is about the bucket or folder.
 */
export function NarrowerPlaces({
  question,
  actions,
}: {
  readonly question: WhoQuestion;
  readonly actions: readonly string[];
}) {
  const { data: policies = [] } = useQuery(policiesQuery);
  const places = narrowerPlaces(policies, actions, question);
  if (places.length === 0) return null;
  return (
    <div>
      <Text size="sm">{t('Narrower rules apply to these places. Ask about them too:')}</Text>
      <Group gap="md" style={{ rowGap: 2 }}>
        {places.slice(0, MAX_PLACES).map((place) => (
          <Place key={JSON.stringify(place)} place={place} action={question.action} />
        ))}
        {places.length > MAX_PLACES && (
          <Text size="sm">{t('and {count} more', { count: places.length - MAX_PLACES })}</Text>
        )}
      </Group>
    </div>
  );
}

/** A folder for each person or group has no single place to ask about. */
function Place({ place, action }: { readonly place: NarrowerPlace; readonly action: string }) {
  const { provider, bucket } = place;
  if (place.type === 'prefix' && place.each !== undefined)
    return (
      <Text size="sm">
        <Name>{`${place.prefix}{${place.each}}/`}</Name>
      </Text>
    );
  const named = place.type === 'object' ? { key: place.key } : { prefix: place.prefix };
  return (
    <Anchor
      component={Link}
      size="sm"
      to={`/admin/who?${new URLSearchParams({ action, provider, bucket, ...named }).toString()}`}
      style={{ overflowWrap: 'anywhere' }}
    >
      <Name>{place.type === 'object' ? place.key : place.prefix}</Name>
    </Anchor>
  );
}
