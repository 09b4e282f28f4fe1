import { ActionIcon, TextInput, Tooltip, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowRight, IconChevronRight, IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { FavouriteButton } from '../places/favourite-button.tsx';
import { baseName, crumbsOf, folderOf, providerLink, type Place } from '../place/place.ts';
import classes from './crumbs.module.css';
import type { Sort } from './sort.ts';
import { linkInOrder } from './use-folder-url.ts';

/** The way to a folder. Its last part is the page's heading; it can be edited to jump to any prefix. */
export function Crumbs({ place, sort }: { place: Place; sort: Sort }) {
  const { provider, bucket, prefix } = place;
  const [editing, setEditing] = useState(false);
  useHotkeys([['G', () => setEditing(true)]]);
  if (editing) return <PrefixEditor place={place} sort={sort} onClose={() => setEditing(false)} />;
  const folders = crumbsOf(prefix);
  const partial = prefix.slice(folderOf(prefix).length);
  const steps = [
    { label: provider, to: providerLink(provider) },
    { label: bucket, to: linkInOrder({ provider, bucket, prefix: '' }, sort) },
    ...folders.map((crumb) => ({ label: crumb.label, to: linkInOrder({ provider, bucket, prefix: crumb.prefix }, sort) })),
  ];
  if (partial !== '') steps.push({ label: `${partial}…`, to: linkInOrder(place, sort) });
  const current = steps.pop();
  return (
    <div className={classes.row}>
      <nav aria-label="Breadcrumbs" className={classes.nav}>
        <ol className={classes.list}>
          {steps.map(({ label, to }) => (
            <li key={to} className={classes.step}>
              <Link to={to} className={classes.link} title={visibleText(label)}>
                <Name>{label}</Name>
              </Link>
              <IconChevronRight size={15} aria-hidden />
            </li>
          ))}
          <li className={classes.current}>
            <h1 className={classes.heading} title={visibleText(current?.label ?? '')} aria-current="page">
              <Name>{current?.label ?? ''}</Name>
            </h1>
          </li>
        </ol>
      </nav>
      <FavouriteButton place={place} />
      <Tooltip label="Go to a path (G)">
        <ActionIcon variant="subtle" color="gray" aria-label="Go to a path" onClick={() => setEditing(true)}>
          <IconPencil size={17} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

function PrefixEditor({ place, sort, onClose }: { place: Place; sort: Sort; onClose: () => void }) {
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
      <VisuallyHidden component="h1">{visibleText(place.prefix === '' ? place.bucket : baseName(place.prefix))}</VisuallyHidden>
      <TextInput
        className={classes.input}
        aria-label={`Path in ${place.bucket}`}
        placeholder="such as photos/2024/"
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
        onBlur={onClose}
        autoFocus
        spellCheck={false}
        autoComplete="off"
      />
      <ActionIcon type="submit" size="lg" aria-label="Go" onMouseDown={(event) => event.preventDefault()}>
        <IconArrowRight size={18} />
      </ActionIcon>
    </form>
  );
}
