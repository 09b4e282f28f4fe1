import { ActionIcon } from '@mantine/core';
import { IconBucket, IconFolder, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { placeLink, placeName, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import classes from './browse.module.css';

/** A list of links to folders and buckets, each with its path. @param onRemove - removes a place from the list. */
export function PlaceList({
  label,
  places,
  onRemove,
}: {
  label: string;
  places: readonly Place[];
  onRemove?: (place: Place) => void;
}) {
  return (
    <ul className={classes.places} aria-label={label}>
      {places.map((place) => {
        const { provider, bucket, prefix } = place;
        const name = placeName(place);
        const way = [provider, ...(prefix === '' ? [] : [bucket]), ...prefix.split('/').slice(0, -2)].join(' / ');
        return (
          <li key={placeLink(place)} className={classes.place}>
            <Link
              to={placeLink(place)}
              className={classes.placeLink}
              title={visibleText(`${provider} / ${bucket} / ${prefix}`)}
            >
              {prefix === '' ? (
                <IconBucket size={20} stroke={1.7} aria-hidden />
              ) : (
                <IconFolder size={20} stroke={1.7} aria-hidden />
              )}
              <span className={classes.placeText}>
                <span className={classes.placeName}>
                  <Name cut>{name}</Name>
                </span>
                <span className={classes.placeWay}>
                  <Name cut>{way}</Name>
                </span>
              </span>
            </Link>
            {onRemove !== undefined && (
              <ActionIcon
                variant="subtle"
                color="gray"
                className={classes.placeRemove}
                aria-label={t('Remove {name} from favourites', { name: visibleText(name) })}
                onClick={() => onRemove(place)}
              >
                <IconX size={16} />
              </ActionIcon>
            )}
          </li>
        );
      })}
    </ul>
  );
}
