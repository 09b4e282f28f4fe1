import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../brand/page-title.ts';
import classes from './page.module.css';

/** The frame of a page inside the shell: a fixed head and scrolling content. @param fill - the content fills the page, and a part of it scrolls. */
export function Page({
  title,
  lead,
  crumbs,
  actions,
  fill,
  children,
}: {
  title: string;
  lead?: ReactNode;
  crumbs?: ReactNode;
  actions?: ReactNode;
  fill?: boolean;
  children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        {crumbs}
        <Group justify="space-between" gap="sm" className={classes.top}>
          <div className={classes.title}>
            <Title order={1}>{title}</Title>
            {lead !== undefined && (
              <Text size="sm" c="dimmed" component="div">
                {lead}
              </Text>
            )}
          </div>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      </header>
      <div className={classes.content} data-fill={fill}>
        {children}
      </div>
    </div>
  );
}
