import { Menu } from '@mantine/core';
import { MenuItems } from '../actions/menu-items.tsx';
import { actions } from '../actions/registry.ts';
import type { Selection } from '../actions/action.ts';
import type { PermissionScope } from '../api/queries.ts';
import { usePermissions } from '../permissions/use-permissions.ts';
import classes from './row-menu.module.css';

export type RowMenuState = { readonly selection: Selection; readonly x: number; readonly y: number };

/** One menu for all rows, opened where the pointer or the row is. */
export function RowMenu({ state, onClose, clearSelection }: { state: RowMenuState; onClose: () => void; clearSelection: () => void }) {
  const allowed = usePermissions(scopeOf(state.selection));
  return (
    <Menu opened onChange={(open) => !open && onClose()} position="bottom-start" withinPortal returnFocus={false} shadow="lg" width={220}>
      <Menu.Target>
        <button type="button" tabIndex={-1} aria-label="Actions" className={classes.anchor} style={{ left: state.x, top: state.y }} />
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItems actions={actions.entries} target={state.selection} allowed={allowed} clearSelection={clearSelection} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** One object is asked about exactly; a folder and a selection by the keys that they start with. */
export function scopeOf({ place, entries }: Selection): PermissionScope {
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only === undefined) return place;
  const { provider, bucket } = place;
  return only.kind === 'file' ? { provider, bucket, key: only.key } : { provider, bucket, prefix: only.key };
}
