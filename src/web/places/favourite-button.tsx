import { ActionIcon } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { isSamePlace, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import { places, useKeptPlaces } from './places.ts';

/** A button that adds a folder to the favourites on the home page and in the command palette, or removes it. */
export function FavouriteButton({ place }: { place: Place }) {
  const isFavourite = useKeptPlaces().favourites.some((favourite) => isSamePlace(favourite, place));
  return (
    <ActionIcon
      title={isFavourite ? t('Remove from favourites') : t('Add to favourites')}
      variant="subtle"
      color="gray"
      aria-label={t('Favourite')}
      aria-pressed={isFavourite}
      onClick={() => places.toggle(place)}
    >
      {isFavourite ? (
        <IconStarFilled size={17} style={{ color: 'var(--svc-folder)' }} />
      ) : (
        <IconStar size={17} stroke={1.7} />
      )}
    </ActionIcon>
  );
}
