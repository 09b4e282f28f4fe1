import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { bucketInfoQuery, keepsDeleted } from '../api/version-calls.ts';
import { Name } from '../names/name.tsx';
import type { Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { Sort, SortColumn } from './sort.ts';
import type { Deleted } from './use-deleted.ts';
import type { View } from './view.ts';

export { MenuItems } from '../actions/menu-items.tsx';
export { FolderMenu } from './folder-menu.tsx';
export { MenuAt, RowMenu } from './row-menu.tsx';

const ORDERS: readonly (readonly [column: SortColumn, descending: boolean, label: string])[] = [
  ['name', false, t('Name, A to Z')],
  ['name', true, t('Name, Z to A')],
  ['modified', true, t('Newest first')],
  ['modified', false, t('Oldest first')],
  ['size', true, t('Largest first')],
  ['size', false, t('Smallest first')],
  ['type', false, t('Type')],
];

export function SortItems({ sort, onSort }: { sort: Sort; onSort: (sort: Sort) => void }) {
  return (
    <Menu.RadioGroup
      value={`${sort.column} ${sort.descending}`}
      onChange={(value) => onSort({ column: value.split(' ')[0] as SortColumn, descending: value.endsWith('true') })}
    >
      {ORDERS.map(([column, descending, label]) => (
        <Menu.RadioItem key={label} closeMenuOnClick value={`${column} ${descending}`}>
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

const VIEWS: readonly (readonly [view: View, label: string])[] = [
  ['list', t('List')],
  ['compact', t('Compact list')],
  ['gallery', t('Gallery')],
];

export function ViewItems({ view, onView }: { view: View; onView: (view: View) => void }) {
  return (
    <Menu.RadioGroup value={view} onChange={(value) => onView(value as View)}>
      {VIEWS.map(([name, label]) => (
        <Menu.RadioItem key={name} closeMenuOnClick value={name}>
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

/** The item that shows or hides what was deleted from a folder. There is none if the bucket keeps no versions. */
export function ShowDeletedItem({ place, deleted: { isShown, show } }: { place: Place; deleted: Deleted }) {
  const info = useQuery(bucketInfoQuery(place));
  if (!info.isPending && !keepsDeleted(info.data)) return null;
  return (
    <>
      <Menu.Divider />
      <Menu.CheckboxItem closeMenuOnClick checked={isShown} onChange={show} disabled={info.isPending}>
        {t('Show deleted')}
      </Menu.CheckboxItem>
    </>
  );
}

/** A folder above the current one, or the bucket or provider. */
export type Step = { readonly label: string; readonly to: string };

/** Links to the folders that the breadcrumbs have no room for. */
export function StepItems({ steps }: { steps: readonly Step[] }) {
  return steps.map(({ label, to }) => (
    <Menu.Item key={to} component={Link} to={to} data-place={to}>
      <Name>{label}</Name>
    </Menu.Item>
  ));
}
