import { Avatar, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { OnDemand } from '../parts/on-demand.tsx';
import { lazyPart } from '../parts/part.ts';
import { Name } from '../names/name.tsx';
import { useAccount } from '../session/use-session.ts';
import { t } from '../words/words.ts';
import classes from './session-menu.module.css';

const SessionPopover = lazyPart(() => import('./session-popover.tsx').then((module) => module.SessionPopover));

/** A button with the name of the signed-in user that opens the session panel. */
export function SessionMenu({ onHelp }: { onHelp: () => void }) {
  const { name, subject, issuer, authEnabled } = useAccount();
  const id = useId();
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const [open, setOpen] = useState(false);
  const displayName = name || subject;
  return (
    <>
      <UnstyledButton
        ref={setButton}
        id={id}
        className={classes.target}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={SessionPopover.preload}
        onClick={() => setOpen(!open)}
      >
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
      <OnDemand opened={open} by={button} onGiveUp={() => setOpen(false)}>
        {button !== null && <SessionPopover id={id} button={button} opened={open} onChange={setOpen} onHelp={onHelp} />}
      </OnDemand>
    </>
  );
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}
