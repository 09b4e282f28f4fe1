import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpened } from '../parts/use-opened.ts';
import { t } from '../words/words.ts';
import classes from './shell.module.css';

/** The navigation on a narrow screen. */
export function NavigationDrawer({
  opened,
  onClose,
  children,
}: {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={useOpened(opened)}
      onClose={onClose}
      size={312}
      title={t('Navigation')}
      classNames={{ body: classes.drawerBody, content: classes.drawerContent }}
      hiddenFrom="sm"
    >
      {children}
    </Drawer>
  );
}
