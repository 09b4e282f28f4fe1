import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { Anchor } from './anchor.ts';
import { useOpened } from './use-opened.ts';

/** The menu of a button. @param id - that of the button. */
export function MenuBeside({
  id,
  button,
  position,
  opened,
  onChange,
  children,
}: {
  id: string;
  button: HTMLElement;
  position: 'bottom-start' | 'bottom-end';
  opened: boolean;
  onChange: (opened: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Menu id={id} opened={useOpened(opened)} onChange={onChange} position={position} withinPortal>
      <Menu.Target>
        <Anchor element={button} />
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
