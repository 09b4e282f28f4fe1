import { Menu } from '@mantine/core';
import { IconRefresh, IconSelectAll } from '@tabler/icons-react';
import { MenuItems } from '../actions/menu-items.tsx';
import { t } from '../words/words.ts';
import type { FolderActions } from './use-folder-actions.ts';

/** The context menu of a folder. @param onSelectAll - undefined if there are no rows. */
export function FolderMenu({
  actions: { here, around },
  onSelectAll,
  onRefresh,
}: {
  actions: FolderActions;
  onSelectAll: (() => void) | undefined;
  onRefresh: () => void;
}) {
  return (
    <>
      {here.length > 0 && <MenuItems offers={here} clearSelection={around.clearSelection} />}
      {here.length > 0 && <Menu.Divider />}
      {onSelectAll && (
        <Menu.Item leftSection={<IconSelectAll size={17} stroke={1.7} />} onClick={onSelectAll}>
          {t('Select all')}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconRefresh size={17} stroke={1.7} />} onClick={onRefresh}>
        {t('Refresh')}
      </Menu.Item>
    </>
  );
}
