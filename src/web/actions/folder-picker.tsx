import { Anchor, Breadcrumbs, Button, CloseButton, Group, Menu, ScrollArea, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronRight, IconFolderPlus, IconHistory, IconSearch } from '@tabler/icons-react';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Name } from '../names/name.tsx';
import { folderOf, crumbsOf, isSamePlace, parentOf, placeName, type Place } from '../place/place.ts';
import { useKeptPlaces } from '../places/places.ts';
import { t } from '../words/words.ts';
import { FolderRows, type PickedPlace } from './folder-rows.tsx';
import { FoundFolders } from './found-folders.tsx';
import { NewFolderHere } from './new-folder-here.tsx';

const TYPED_MS = 300;
const RECENT = 8;
/** The keyboard of a touch screen would cover the folders, so it does not open by itself. */
const HAS_KEYBOARD = !window.matchMedia('(pointer: coarse)').matches;

type Props = { readonly picked: PickedPlace; readonly onPick: (place: PickedPlace) => void };

/** Lets the user choose a folder: by opening providers, buckets and folders, by searching for its name, from the favourite and recent folders, or by creating it. */
export function FolderPicker({ picked, onPick }: Props) {
  const { provider, bucket, prefix } = picked;
  const [text, setText] = useState('');
  const [sought] = useDebouncedValue(text.trim(), TYPED_MS);
  const [isNaming, setNaming] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const place = provider !== undefined && bucket !== undefined ? { provider, bucket, prefix } : undefined;
  /** Goes to a place and moves the focus to the list, because the focused row disappears. */
  const pick = (next: PickedPlace): void => {
    setText('');
    setNaming(false);
    onPick(next);
    list.current?.focus();
  };
  const walk = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.key === 'ArrowLeft' || event.key === 'Backspace') pick(above(picked));
    else if (event.key === 'ArrowRight' && event.target instanceof HTMLButtonElement) event.target.click();
    else if (!step(event.currentTarget, event.key)) return;
    event.preventDefault();
  };
  return (
    <Stack gap="xs">
      <Group gap="xs" wrap="nowrap">
        <TextInput
          flex={1}
          data-autofocus={HAS_KEYBOARD || undefined}
          aria-label={t('Search folders')}
          placeholder={bucket === undefined ? t('Search everywhere') : t('Search this bucket')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Without this, Enter submits the dialog with the folder that was chosen before.
            if (event.key === 'Enter') event.preventDefault();
            if (event.key === 'ArrowDown') list.current?.focus();
          }}
          leftSection={<IconSearch size={16} />}
          rightSection={
            text !== '' && <CloseButton size="sm" aria-label={t('Clear the search')} onClick={() => setText('')} />
          }
          autoComplete="off"
          spellCheck={false}
        />
        <RecentPlaces current={place} onPick={pick} />
        {place !== undefined && (
          <Button
            variant="default"
            px="sm"
            aria-label={t('New folder')}
            aria-expanded={isNaming}
            onClick={() => setNaming(!isNaming)}
          >
            <IconFolderPlus size={17} />
          </Button>
        )}
      </Group>
      {place !== undefined && isNaming && (
        <NewFolderHere place={{ ...place, prefix: folderOf(prefix) }} onMade={pick} />
      )}
      <Breadcrumbs
        separator={<IconChevronRight size={14} />}
        separatorMargin={4}
        aria-label={t('Chosen folder')}
        role="navigation"
        style={{ flexWrap: 'wrap' }}
      >
        <Crumb onClick={() => pick({ prefix: '' })}>{t('All storage')}</Crumb>
        {provider !== undefined && <Crumb onClick={() => pick({ provider, prefix: '' })}>{provider}</Crumb>}
        {bucket !== undefined && <Crumb onClick={() => pick({ provider, bucket, prefix: '' })}>{bucket}</Crumb>}
        {crumbsOf(prefix).map((crumb) => (
          <Crumb key={crumb.prefix} onClick={() => pick({ provider, bucket, prefix: crumb.prefix })}>
            <Name>{crumb.label}</Name>
          </Crumb>
        ))}
      </Breadcrumbs>
      <ScrollArea
        h={260}
        viewportRef={list}
        style={{ border: '1px solid var(--svc-line)', borderRadius: 'var(--mantine-radius-md)' }}
        viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': t('Folders'), onKeyDown: walk }}
      >
        {sought === '' ? (
          <FolderRows picked={picked} onPick={pick} />
        ) : (
          <FoundFolders key={sought} text={sought} within={place && { ...place, prefix: '' }} onPick={pick} />
        )}
      </ScrollArea>
    </Stack>
  );
}

/** The parent of a place. The parent of a provider is the list of all providers. */
function above({ provider, bucket, prefix }: PickedPlace): PickedPlace {
  if (bucket === undefined) return { prefix: '' };
  const parent = parentOf(prefix);
  return parent === undefined ? { provider, prefix: '' } : { provider, bucket, prefix: parent };
}

/** Moves the focus to another row. @returns whether the key does that. */
function step(list: HTMLElement, key: string): boolean {
  const rows = [...list.querySelectorAll('button')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  const to = next[key];
  if (to === undefined) return false;
  rows[Math.max(0, Math.min(to, rows.length - 1))]?.focus();
  return true;
}

function Crumb({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Anchor component="button" type="button" size="sm" onClick={onClick} maw={200} truncate>
      {children}
    </Anchor>
  );
}

function RecentPlaces({ current, onPick }: { current: Place | undefined; onPick: (place: PickedPlace) => void }) {
  const { favourites, recent } = useKeptPlaces();
  const others = [...favourites, ...recent]
    .filter((place) => current === undefined || !isSamePlace(place, current))
    .slice(0, RECENT);
  if (others.length === 0) return null;
  return (
    <Menu position="bottom-end" withinPortal returnFocus={false}>
      <Menu.Target>
        <Button variant="default" px="sm" aria-label={t('Favourite and recent folders')}>
          <IconHistory size={17} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {others.map((place) => (
          <Menu.Item
            key={`${place.provider}/${place.bucket}/${place.prefix}`}
            onClick={() => onPick(place)}
            rightSection={place.prefix === '' ? undefined : <Name>{place.bucket}</Name>}
          >
            <Name>{placeName(place)}</Name>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
