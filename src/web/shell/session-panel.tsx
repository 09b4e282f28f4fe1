import { notifications } from '@mantine/notifications';
import {
  Badge,
  Button,
  Divider,
  Group,
  SegmentedControl,
  Stack,
  Text,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import { IconApi, IconFolderSymlink, IconKeyboard, IconLogout } from '@tabler/icons-react';
import { servicePath } from '../base.ts';
import { desktop, type SvcDesktop } from '../desktop/desktop.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { withPart } from '../parts/with-part.ts';
import { signOut } from '../session/session.ts';
import { useAccount } from '../session/use-session.ts';
import { chooseLanguage, language, languages } from '../words/language.ts';
import { t } from '../words/words.ts';
import classes from './session-menu.module.css';

const SCHEMES = [
  { value: 'auto', label: t('System') },
  { value: 'light', label: t('Light') },
  { value: 'dark', label: t('Dark') },
];

/** The appearance of the buttons in the panel. */
const ENTRY = { variant: 'subtle', color: 'gray', justify: 'flex-start', px: 'xs' } as const;

const LANGUAGES = languages.map(([value, label]) => ({ value, label }));

/** The content of the session menu: the user and the groups, the colour scheme, the language, the help and the sign-out. */
export function SessionPanel({ onHelp }: { onHelp: () => void }) {
  const { name, subject, issuer, groups, authEnabled } = useAccount();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const displayName = name || subject;
  return (
    <Stack gap="sm">
      <div>
        <Text fw={600} className={classes.wrap}>
          <Name>{displayName}</Name>
        </Text>
        {displayName !== subject && <Fact label={t('Subject')} value={subject} />}
        {authEnabled && <Fact label={t('Issuer')} value={issuer} />}
      </div>
      {authEnabled && (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            {t('Groups')}
          </Text>
          <Group gap={4}>
            {groups.length === 0 && <Text size="sm">{t('none')}</Text>}
            {groups.map((group) => (
              <Badge key={group} variant="default" tt="none" fw={500}>
                {visibleText(group)}
              </Badge>
            ))}
          </Group>
        </div>
      )}
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t('Colour scheme')}
        data={SCHEMES}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
      />
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t('Language')}
        data={LANGUAGES}
        value={language}
        onChange={chooseLanguage}
      />
      <Divider />
      <Stack gap={4}>
        <Button {...ENTRY} leftSection={<IconKeyboard size={18} />} onClick={onHelp}>
          {t('Keyboard shortcuts')}
        </Button>
        <Button
          {...ENTRY}
          component="a"
          href={servicePath('api/docs')}
          target="_blank"
          leftSection={<IconApi size={18} />}
        >
          {t('API reference')}
        </Button>
        {desktop !== undefined && (
          <Button
            {...ENTRY}
            leftSection={<IconFolderSymlink size={18} />}
            onClick={() =>
              withPart(
                () => import('../actions/watched-folders.tsx'),
                ({ openWatchedFolders }) => openWatchedFolders(),
              )
            }
          >
            {t('Watched folders')}
          </Button>
        )}
        {authEnabled && <SignOutButton />}
        {authEnabled && desktop !== undefined && <SignOutEverywhereButton desktop={desktop} />}
      </Stack>
    </Stack>
  );
}

function SignOutButton() {
  return (
    <Button {...ENTRY} leftSection={<IconLogout size={18} />} onClick={() => void signOut()}>
      {t('Sign out')}
    </Button>
  );
}

/** Signs out of all accounts of the desktop application. This account is the last, so that its page can show which others failed. */
function SignOutEverywhereButton({ desktop }: { desktop: SvcDesktop }) {
  async function signOutEverywhere(): Promise<void> {
    const failed = await desktop.signOutOthers();
    if (failed.length === 0) await signOut();
    else
      notifications.show({
        color: 'red',
        title: t('Some accounts are still signed in'),
        message: t('{servers} did not answer. Try again in a moment.', { servers: failed.join(', ') }),
      });
  }
  return (
    <Button {...ENTRY} leftSection={<IconLogout size={18} />} onClick={() => void signOutEverywhere()}>
      {t('Sign out of all accounts')}
    </Button>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <Text size="xs" c="dimmed" className={classes.wrap}>
      {label}:{' '}
      <span className={classes.value}>
        <Name>{value}</Name>
      </span>
    </Text>
  );
}
