import { Button, Group, Text } from '@mantine/core';
import { useEffect, useMemo, useState, type RefObject } from 'react';
import { Link } from 'react-router';
import { SearchRun } from '../api/search-run.ts';
import { visibleText } from '../names/visible.ts';
import { placeLink, type Place } from '../place/place.ts';
import { queryOf, questionIn, searchFrom, searchLink } from '../place/search-question.ts';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';
import { FoundAnswer } from './found-answer.tsx';

/** A search begins when the filter has stood still for this time. */
const SETTLE_MS = 300;

type Properties = {
  readonly place: Place;
  readonly filter: string;
  /** Whether all names of the folder were compared with the filter. */
  readonly isWhole: boolean;
  readonly gridRef: RefObject<HTMLDivElement | null>;
  readonly onClearFilter: () => void;
};

/** What a filter that matches nothing in the folder finds below it. */
export function FoundBelow({ place, filter, isWhole, gridRef, onClearFilter }: Properties) {
  const link = searchFrom(place, filter);
  const { run, again } = useRun(place, link);
  const names = { filter: visibleText(filter) };
  return (
    <div className={classes.below}>
      <Group gap="sm" pb={4}>
        <Text size="sm" role="status">
          {isWhole
            ? t('No name in this folder contains “{filter}”. Its subfolders are searched too.', names)
            : t('No name loaded so far contains “{filter}”. The rest and the subfolders are searched too.', names)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={onClearFilter}>
          {t('Clear the filter')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          component={Link}
          to={searchLink({ ...questionIn(link), reach: 'everywhere' })}
        >
          {t('Search everywhere')}
        </Button>
      </Group>
      {run !== undefined && <FoundAnswer run={run} scope={link} text={filter} gridRef={gridRef} onRefresh={again} />}
    </div>
  );
}

/** A search below a place, which ends when it is no longer shown. @param link - the same search as a page. */
function useRun(place: Place, link: string): { readonly run: SearchRun | undefined; readonly again: () => void } {
  const [run, setRun] = useState<SearchRun>();
  const [asked, setAsked] = useState(0);
  const at = placeLink(place);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the place is a new object on each render; its link says what it is
  const places = useMemo(() => [place], [at]);
  useEffect(() => {
    let begun: SearchRun | undefined;
    const timer = setTimeout(() => {
      const query = queryOf(questionIn(link), Date.now());
      begun = new SearchRun(query, async () => places);
      setRun(begun);
    }, SETTLE_MS);
    return () => {
      clearTimeout(timer);
      begun?.leave();
    };
  }, [link, places, asked]);
  return { run, again: () => setAsked(asked + 1) };
}
