import { Avatar, Popover, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { Name } from '../names/name.tsx';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import classes from './session-menu.module.css';

const SessionPanel = lazyPart(() => import('./session-panel.tsx').then((module) => module.SessionPanel));

/** A button with the name of the signed-in user that opens the session panel. */
export function SessionMenu({ onHelp }: { onHelp: () => void }) {
  const { name, subject, issuer, authEnabled } = useAccount();
  const [open, setOpen] = useState(false);
  const displayName = name || subject;
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="top-start"
      width={272}
      trapFocus
      returnFocus
      shadow="lg"
      withinPortal
    >
      <Popover.Target>
        <UnstyledButton className={classes.target} onClick={() => setOpen(!open)}>
          <Avatar aria-hidden name={displayName} color="lagoon" size={32} radius="xl" />
          <span className={classes.who}>
            <VisuallyHidden>{t('Session of')} </VisuallyHidden>
            <span className={classes.name}>
              <Name>{displayName}</Name>
            </span>
            <span className={classes.sub}>{authEnabled ? hostOf(issuer) : t('sign-in is off')}</span>
          </span>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('Session')} className={classes.panel ?? ''}>
        <Boundary what="panel">
          <Suspense>
            <SessionPanel
              onHelp={() => {
                setOpen(false);
                onHelp();
              }}
            />
          </Suspense>
        </Boundary>
      </Popover.Dropdown>
    </Popover>
  );
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}
