import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { MenuItems } from '../actions/menu-items.tsx';
import { offersFor } from '../actions/offer.ts';
import { actions } from '../actions/registry.ts';
import type { Selection } from '../actions/action.ts';
import { useEntryPermissions, type RowActions } from '../permissions/entry-permissions.ts';
import { t } from '../words/words.ts';
import type { Point } from './menu-point.ts';
import classes from './row-menu.module.css';

/** A menu at a position in the window. It does not cover the height of its position. */
export function MenuAt({
  point: { x, y, height },
  onClose,
  children,
}: {
  point: Point;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Menu
      opened
      onChange={(open) => !open && onClose()}
      position="bottom-start"
      withinPortal
      returnFocus={false}
      shadow="lg"
      width={240}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label={t('Actions')}
          className={classes.anchor}
          style={{ left: x, top: y, height }}
        />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

/** The items of the context menu of rows. */
export function RowMenu({
  selection,
  rowActions,
  clearSelection,
}: {
  selection: Selection;
  rowActions: RowActions;
  clearSelection: () => void;
}) {
  const permissions = useEntryPermissions(selection.place, selection.entries, rowActions);
  return (
    <MenuItems
      offers={offersFor(actions.entries, selection, permissions)}
      asking={permissions}
      clearSelection={clearSelection}
    />
  );
}
