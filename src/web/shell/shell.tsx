import { ActionIcon, Group, Kbd, UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconMenu2, IconSearch } from '@tabler/icons-react';
import { Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Link, useLocation } from 'react-router';
import { BrandMark } from '../brand/brand.tsx';
import { ServiceBanner } from '../brand/service-banner.tsx';
import { ui } from '../brand/ui.ts';
import { Boundary } from '../parts/boundary.tsx';
import { PaletteToCome } from '../palette/typed-ahead.tsx';
import { OnDemand } from '../parts/on-demand.tsx';
import { lazyPart } from '../parts/part.ts';
import { Tray } from '../tray/tray.tsx';
import { t } from '../words/words.ts';
import { OfflineBanner } from './offline-banner.tsx';
import { useKeptChoice } from './kept-choice.ts';
import { SessionMenu } from './session-menu.tsx';
import classes from './shell.module.css';
import { Sidebar } from './sidebar.tsx';

const Palette = lazyPart(() => import('../palette/palette.tsx').then((module) => module.Palette));
const NavigationDrawer = lazyPart(() => import('./navigation-drawer.tsx').then((module) => module.NavigationDrawer));
const KeyboardHelp = lazyPart(() => import('./keyboard-help.tsx').then((module) => module.KeyboardHelp));

/** The frame of every page: the navigation on the left (a drawer on narrow screens), the command palette, the help and the transfers. */
export function Shell({ children }: { children: ReactNode }) {
  const [drawer, { open: openDrawer, close: closeDrawer }] = useDisclosure(false);
  const [folded = false, setFolded] = useKeptChoice('svc-sidebar-folded', 'localStorage');
  const toggleFolded = () => setFolded(!folded);
  const [hide, show] = [useRef<HTMLButtonElement>(null), useRef<HTMLButtonElement>(null)];
  /** The button that was pressed goes, and the one that takes it back has the focus. */
  const pressFold = () => {
    flushSync(toggleFolded);
    (folded ? hide : show).current?.focus();
  };
  const [help, { open: openHelp, close: closeHelp }] = useDisclosure(false);
  const [paletteAsked, setPaletteAsked] = useState(0);
  const [typed, setTyped] = useState('');
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const openPalette = () => {
    setTyped('');
    setPaletteAsked((times) => times + 1);
  };
  const forgetPalette = useCallback(() => setPaletteAsked(0), []);

  useEffect(closeDrawer, [pathname, closeDrawer]);
  useHotkeys([
    ['shift+?', openHelp],
    ['?', openHelp],
    ['mod+B', toggleFolded],
  ]);
  useHotkeys([['mod+K', openPalette]], []);

  const search = (
    <UnstyledButton className={classes.search} onClick={openPalette} aria-keyshortcuts="Control+K">
      <IconSearch size={16} aria-hidden />
      <span>{t('Go to…')}</span>
      <Kbd size="xs" aria-hidden>
        {t('Ctrl')} K
      </Kbd>
    </UnstyledButton>
  );

  return (
    <div className={classes.shell} data-folded={folded || undefined}>
      <button type="button" className={classes.skip} onClick={() => main.current?.focus()}>
        {t('Skip to content')}
      </button>
      <header className={classes.side} hidden={folded}>
        <Group className={classes.brand} justify="space-between" wrap="nowrap">
          <Link to="/" className={classes.home}>
            <BrandMark />
            <span>{ui.name}</span>
          </Link>
          <ActionIcon ref={hide} variant="subtle" color="gray" aria-label={t('Hide the sidebar')} onClick={pressFold}>
            <IconLayoutSidebarLeftCollapse size={20} />
          </ActionIcon>
        </Group>
        <div className={classes.searchRow}>{search}</div>
        <Sidebar />
        <SessionMenu onHelp={openHelp} />
      </header>
      <header className={classes.top}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('Open navigation')}
          onPointerEnter={NavigationDrawer.preload}
          onClick={openDrawer}
        >
          <IconMenu2 size={22} />
        </ActionIcon>
        <Link to="/" className={classes.home}>
          <BrandMark size={26} />
          <span>{ui.name}</span>
        </Link>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Go to…')} onClick={openPalette} ml="auto">
          <IconSearch size={20} />
        </ActionIcon>
      </header>
      {folded && (
        <header className={classes.rail}>
          <Link to="/" aria-label={t('{name}, home page', { name: ui.name })}>
            <BrandMark />
          </Link>
          <ActionIcon
            ref={show}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t('Show the sidebar')}
            onClick={pressFold}
          >
            <IconLayoutSidebarLeftExpand size={20} />
          </ActionIcon>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('Go to…')} onClick={openPalette}>
            <IconSearch size={20} />
          </ActionIcon>
        </header>
      )}
      <OnDemand opened={drawer} onGiveUp={closeDrawer}>
        <NavigationDrawer opened={drawer} onClose={closeDrawer}>
          <Sidebar />
          <SessionMenu onHelp={openHelp} />
        </NavigationDrawer>
      </OnDemand>
      <main ref={main} className={classes.main} tabIndex={-1}>
        <ServiceBanner />
        <OfflineBanner />
        {children}
      </main>
      <Tray />
      <Boundary what="message" about={`${paletteAsked} ${help}`}>
        <Suspense fallback={<PaletteToCome onType={setTyped} onEscape={forgetPalette} />}>
          {paletteAsked > 0 && <Palette key={paletteAsked} typed={typed} onHelp={openHelp} />}
        </Suspense>
        <Suspense>{help && <KeyboardHelp onClose={closeHelp} />}</Suspense>
      </Boundary>
    </div>
  );
}
