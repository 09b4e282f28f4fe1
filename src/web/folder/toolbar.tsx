import { ActionIcon, Button, Group, Text } from '@mantine/core';
import {
  IconArrowsSort,
  IconDots,
  IconLayoutGrid,
  IconList,
  IconMenu2,
  IconRefresh,
  IconSearch,
  IconX,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Surroundings } from '../actions/action.ts';
import type { Offer } from '../actions/offer.ts';
import { MenuButton } from '../parts/menu-button.tsx';
import { t } from '../words/words.ts';
import classes from './folder-page.module.css';
import { MenuItems, SortItems, ViewItems } from './menu-parts.ts';
import type { Sort } from './sort.ts';
import type { View } from './view.ts';

/** The prominent actions as buttons and the others in a menu. On narrow screens the buttons only show their icon. */
export function ActionButtons({
  offers,
  around,
  primary,
  small = false,
  label,
}: {
  offers: readonly Offer[];
  around: Surroundings;
  primary?: boolean;
  small?: boolean;
  label: string;
}) {
  const prominentOffers = offers.filter(({ prominent }) => prominent === true);
  const rest = offers.filter(({ prominent }) => prominent !== true);
  return (
    <Group gap={6} wrap={small ? 'wrap' : 'nowrap'} className={classes.actions}>
      {prominentOffers.map(({ id, label: text, icon: Picture, run }, index) => (
        <Button
          key={id}
          size={small ? 'xs' : 'sm'}
          className={classes.action}
          variant={primary === true && index === 0 ? 'filled' : 'default'}
          leftSection={<Picture size={small ? 15 : 17} stroke={1.8} />}
          onClick={() => run(around)}
          aria-label={text}
        >
          {text}
        </Button>
      ))}
      {rest.length > 0 && (
        <MenuButton
          variant="default"
          size={small ? 30 : 36}
          label={label}
          items={<MenuItems offers={rest} clearSelection={around.clearSelection} />}
        >
          <IconDots size={18} />
        </MenuButton>
      )}
    </Group>
  );
}

/** The toolbar while rows are selected. */
export function SelectionBar({
  count,
  size,
  onClear,
  children,
}: {
  count: string;
  size: string | undefined;
  onClear: () => void;
  children: ReactNode;
}) {
  return (
    <Group
      className={classes.selection}
      gap="sm"
      wrap="nowrap"
      role="toolbar"
      data-selection
      aria-label={t('Selection')}
    >
      <ActionIcon variant="subtle" color="gray" aria-label={t('Clear the selection')} onClick={onClear}>
        <IconX size={18} />
      </ActionIcon>
      <Text size="sm" fw={600} className={`${classes.selected} tabular`}>
        {t('{count} selected', { count })}
        {size !== undefined && (
          <Text span c="dimmed" fw={400} size="sm" className={classes.selectedSize}>
            {' '}
            · {size}
          </Text>
        )}
      </Text>
      {children}
    </Group>
  );
}

/** The sort menu for the gallery and for narrow screens, which have no column heads. */
export function SortMenu({ sort, view, onSort }: { sort: Sort; view: View; onSort: (sort: Sort) => void }) {
  return (
    <MenuButton
      variant="default"
      size={36}
      label={t('Sort')}
      {...(view !== 'gallery' && { hiddenFrom: 'sm' })}
      items={<SortItems sort={sort} onSort={onSort} />}
    >
      <IconArrowsSort size={17} />
    </MenuButton>
  );
}

const PICTURES = { list: IconList, compact: IconMenu2, gallery: IconLayoutGrid };

/** The menu of the views. @param children - further items. */
export function ViewMenu({
  view,
  onView,
  children,
}: {
  view: View;
  onView: (view: View) => void;
  children: ReactNode;
}) {
  const Shown = PICTURES[view];
  return (
    <MenuButton
      variant="default"
      size={36}
      label={t('View')}
      items={
        <>
          <ViewItems view={view} onView={onView} />
          {children}
        </>
      }
    >
      <Shown size={17} />
    </MenuButton>
  );
}

export function RefreshButton({ loading, onRefresh }: { loading: boolean; onRefresh: () => void }) {
  return (
    <ActionIcon variant="default" size={36} aria-label={t('Refresh')} loading={loading} onClick={onRefresh}>
      <IconRefresh size={17} />
    </ActionIcon>
  );
}

/** A link to the search in this folder and its subfolders. */
export function SearchButton({ to }: { to: string }) {
  return (
    <ActionIcon
      component={Link}
      to={to}
      variant="default"
      size={36}
      aria-label={t('Search this folder and its subfolders')}
      title={t('Search this folder and its subfolders')}
    >
      <IconSearch size={17} />
    </ActionIcon>
  );
}
