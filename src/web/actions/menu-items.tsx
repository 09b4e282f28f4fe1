import { Loader, Menu, Text } from '@mantine/core';
import type { Allowed } from '../permissions/use-permissions.ts';
import type { Action } from './action.ts';
import { useSurroundings } from './use-surroundings.ts';

/** The actions that the permission endpoint lists and that make sense for the target. */
export function offered<Target>(actions: readonly Action<Target>[], target: Target, allowed: Allowed): Action<Target>[] {
  return actions.filter(({ needs, fits }) => allowed.mayAll(needs) && (fits === undefined || fits(target)));
}

/** The items of a menu on one target. */
export function MenuItems<Target>({ actions, target, allowed, clearSelection }: { actions: readonly Action<Target>[]; target: Target; allowed: Allowed; clearSelection?: () => void }) {
  const around = useSurroundings(clearSelection);
  if (allowed.pending) {
    return (
      <Menu.Item disabled leftSection={<Loader size={14} />}>
        Asking what you may do…
      </Menu.Item>
    );
  }
  const items = offered(actions, target, allowed);
  if (items.length === 0) {
    return (
      <Menu.Item disabled>
        <Text size="sm">Your policies allow no action here</Text>
      </Menu.Item>
    );
  }
  const item = ({ id, label, icon: Picture, destructive, run }: Action<Target>) => (
    <Menu.Item key={id} leftSection={<Picture size={17} stroke={1.7} />} {...(destructive === true ? { color: 'var(--mantine-color-error)' } : {})} onClick={() => run(target, around)}>
      {label}
    </Menu.Item>
  );
  const mild = items.filter(({ destructive }) => destructive !== true);
  const destructive = items.filter((action) => action.destructive === true);
  return (
    <>
      {mild.map(item)}
      {mild.length > 0 && destructive.length > 0 && <Menu.Divider />}
      {destructive.map(item)}
    </>
  );
}
