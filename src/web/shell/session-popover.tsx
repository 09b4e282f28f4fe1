import { Popover } from '@mantine/core';
import { Anchor } from '../parts/anchor.ts';
import { useOpened } from '../parts/use-opened.ts';
import { t } from '../words/words.ts';
import classes from './session-menu.module.css';
import { SessionPanel } from './session-panel.tsx';

/** The session panel above its button. @param id - that of the button. */
export function SessionPopover({
  id,
  button,
  opened,
  onChange,
  onHelp,
}: {
  id: string;
  button: HTMLElement;
  opened: boolean;
  onChange: (opened: boolean) => void;
  onHelp: () => void;
}) {
  return (
    <Popover
      id={id}
      opened={useOpened(opened)}
      onChange={onChange}
      position="top-start"
      width={272}
      trapFocus
      returnFocus
      shadow="lg"
      withinPortal
    >
      <Popover.Target>
        <Anchor element={button} />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('Session')} className={classes.panel ?? ''}>
        <SessionPanel
          onHelp={() => {
            onChange(false);
            onHelp();
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
