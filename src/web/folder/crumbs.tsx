import { ActionIcon, Group, TextInput, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowRight, IconChevronRight, IconDots, IconHome, IconPencil } from '@tabler/icons-react';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { MenuButton } from '../parts/menu-button.tsx';
import { FavouriteButton } from '../places/favourite-button.tsx';
import { crumbsOf, folderOf, placeName, providerLink, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import classes from './crumbs.module.css';
import page from './folder-page.module.css';
import type { Sort } from './sort.ts';
import { linkInOrder } from './use-folder-url.ts';
import { StepItems } from './menu-parts.ts';
import type { Step } from './menus.tsx';
import { useNarrow } from './use-narrow.ts';

/** The number of parent steps that are shown before the current folder; earlier ones are in a menu. A narrow screen only has room for the current folder. */
const SHOWN = { wide: 3, narrow: 0 };

/**
 * The breadcrumbs from the home page to a folder. The last one is the heading of the page. The user can edit the path to go to any prefix.
 *
 * On a narrow screen the heading has a line of its own, so that the actions, which come later, do not move it.
 */
export function Crumbs({
  place,
  sort,
  children,
}: {
  place: Place;
  sort: Sort;
  /** The actions at the end of the line. */ children: ReactNode;
}) {
  const { provider, bucket, prefix } = place;
  const [editing, setEditing] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  /** What had the focus before; undefined when it is not given back. */
  const before = useRef<Element | null>(undefined);
  const edit = (): void => {
    before.current = document.activeElement;
    setEditing(true);
  };
  const close = (isGivenUp = false): void => {
    if (!isGivenUp) before.current = undefined;
    setEditing(false);
  };
  useLayoutEffect(() => {
    if (editing || before.current === undefined) return;
    // The button has been replaced by another one.
    const to = before.current?.isConnected === true ? before.current : pencil.current;
    if (to instanceof HTMLElement) to.focus({ preventScroll: true });
    before.current = undefined;
  }, [editing]);
  useHotkeys([['G', edit]]);
  const isNarrow = useNarrow();
  if (editing) {
    return (
      <Line>
        <PrefixEditor place={place} sort={sort} onClose={close} />
        {children}
      </Line>
    );
  }
  const folders = crumbsOf(prefix);
  const partial = prefix.slice(folderOf(prefix).length);
  const steps: Step[] = [
    { label: provider, to: providerLink(provider) },
    { label: bucket, to: linkInOrder({ provider, bucket, prefix: '' }, sort) },
    ...folders.map((crumb) => ({
      label: crumb.label,
      to: linkInOrder({ provider, bucket, prefix: crumb.prefix }, sort),
    })),
  ];
  if (partial !== '') steps.push({ label: `${partial}…`, to: linkInOrder(place, sort) });
  const current = steps.pop();
  const visibleCount = isNarrow ? SHOWN.narrow : SHOWN.wide;
  // A menu with one entry would need as much room as the entry itself.
  const hidden = steps.length > visibleCount + 1 ? steps.splice(0, steps.length - visibleCount) : [];
  const label = current?.label ?? '';
  const heading = (
    <h1 className={classes.heading} title={visibleText(label)} aria-current="page">
      <Name>{label}</Name>
    </h1>
  );
  return (
    <>
      <Line>
        <div className={classes.row}>
          <nav aria-label={t('Breadcrumbs')} className={classes.nav}>
            <ol className={classes.list}>
              <li className={classes.step}>
                <Link to="/" className={classes.link} aria-label={t('Home')}>
                  <IconHome size={17} stroke={1.7} aria-hidden />
                </Link>
                <IconChevronRight size={15} aria-hidden />
              </li>
              {hidden.length > 0 && (
                <li className={classes.step}>
                  <MenuButton
                    variant="subtle"
                    color="gray"
                    size="sm"
                    label={t('Parent folders')}
                    position="bottom-start"
                    items={<StepItems steps={hidden} />}
                  >
                    <IconDots size={17} />
                  </MenuButton>
                  <IconChevronRight size={15} aria-hidden />
                </li>
              )}
              {steps.map(({ label, to }) => (
                <li key={to} className={classes.step}>
                  <Link to={to} data-place={to} draggable={false} className={classes.link} title={visibleText(label)}>
                    <Name>{label}</Name>
                  </Link>
                  <IconChevronRight size={15} aria-hidden />
                </li>
              ))}
              {!isNarrow && <li className={classes.current}>{heading}</li>}
            </ol>
          </nav>
          <FavouriteButton place={place} />
          <ActionIcon
            ref={pencil}
            variant="subtle"
            color="gray"
            aria-label={t('Go to a path')}
            title={t('Go to a path (G)')}
            onClick={edit}
          >
            <IconPencil size={17} stroke={1.7} />
          </ActionIcon>
        </div>
        {children}
      </Line>
      {isNarrow && heading}
    </>
  );
}

function Line({ children }: { children: ReactNode }) {
  return (
    <Group justify="space-between" gap="xs" className={page.way}>
      {children}
    </Group>
  );
}

function PrefixEditor({
  place,
  sort,
  onClose,
}: {
  place: Place;
  sort: Sort;
  /** @param isGivenUp - by a key, so that the focus goes back. */ onClose: (isGivenUp?: boolean) => void;
}) {
  const navigate = useNavigate();
  const [value, setValue] = useState(place.prefix);
  return (
    <form
      className={classes.editor}
      onSubmit={(event) => {
        event.preventDefault();
        onClose();
        void navigate(linkInOrder({ ...place, prefix: value }, sort));
      }}
    >
      <VisuallyHidden component="h1">{visibleText(placeName(place))}</VisuallyHidden>
      <TextInput
        className={classes.input}
        aria-label={t('Path in {bucket}', { bucket: place.bucket })}
        placeholder={t('For example photos/2024/')}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose(true)}
        onBlur={() => onClose()}
        autoFocus
        spellCheck={false}
        autoComplete="off"
      />
      <ActionIcon type="submit" size="lg" aria-label={t('Go')} onMouseDown={(event) => event.preventDefault()}>
        <IconArrowRight size={18} />
      </ActionIcon>
    </form>
  );
}
