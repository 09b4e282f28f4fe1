import { Menu } from '@mantine/core';
import { MenuItems } from '../actions/menu-items.tsx';
import { offersFor } from '../actions/offer.ts';
import { actions } from '../actions/registry.ts';
import type { Selection } from '../actions/action.ts';
import { useEntryPermissions, type RowActions } from '../permissions/entry-permissions.ts';
import { t } from '../words/words.ts';
import classes from './row-menu.module.css';

export type RowMenuState = { readonly selection: Selection; readonly x: number; readonly y: number };

/** One menu for all rows, opened where the pointer or the row is. */
export function RowMenu({ state: { selection, x, y }, rowActions, onClose, clearSelection }: { state: RowMenuState; rowActions: RowActions; onClose: () => void; clearSelection: () => void }) {
  const permissions = useEntryPermissions(selection.place, selection.entries, rowActions);
  return (
    <Menu opened onChange={(open) => !open && onClose()} position="bottom-start" withinPortal returnFocus={false} shadow="lg" width={220}>
      <Menu.Target>
        <button type="button" tabIndex={-1} aria-label={t('Actions')} className={classes.anchor} style={{ left: x, top: y }} />
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItems offers={offersFor(actions.entries, selection, permissions)} asking={permissions} clearSelection={clearSelection} />
      </Menu.Dropdown>
    </Menu>
  );
}
