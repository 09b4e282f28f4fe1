import { ActionIcon, type ActionIconProps } from '@mantine/core';
import { useId, useState, type ReactNode } from 'react';
import { OnDemand } from './on-demand.tsx';
import { lazyPart } from './part.ts';

export const MenuBeside = lazyPart(() => import('./menu-beside.tsx').then((module) => module.MenuBeside));

type Properties = ActionIconProps & {
  readonly label: string;
  readonly position?: 'bottom-start' | 'bottom-end';
  /** The items, which are lazy parts as well. */
  readonly items: ReactNode;
};

/** An icon that opens a menu. The code of menus is loaded on demand. */
export function MenuButton({ label, position = 'bottom-end', items, children, ...icon }: Properties) {
  const id = useId();
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const [opened, setOpened] = useState(false);
  return (
    <>
      <ActionIcon
        {...icon}
        ref={setButton}
        id={id}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      >
        {children}
      </ActionIcon>
      <OnDemand opened={opened} by={button} onGiveUp={() => setOpened(false)}>
        {button !== null && (
          <MenuBeside id={id} button={button} position={position} opened={opened} onChange={setOpened}>
            {items}
          </MenuBeside>
        )}
      </OnDemand>
    </>
  );
}
