import { Avatar, Badge, Button, Divider, Group, Popover, SegmentedControl, Stack, Text, UnstyledButton, VisuallyHidden, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconApi, IconKeyboard, IconLogout, IconSelector } from '@tabler/icons-react';
import { useState } from 'react';
import { servicePath } from '../base.ts';
import { signOut } from '../session/session.ts';
import { useAccount } from '../session/use-session.ts';
import classes from './session-menu.module.css';

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Who is signed in, with what groups; light or dark; and the way out. */
export function SessionMenu({ onHelp }: { onHelp: () => void }) {
  const { name, subject, issuer, groups, authEnabled } = useAccount();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [open, setOpen] = useState(false);
  const shown = name || subject;
  return (
    <Popover opened={open} onChange={setOpen} position="top-start" width={272} trapFocus returnFocus shadow="lg" withinPortal>
      <Popover.Target>
        <UnstyledButton className={classes.target} onClick={() => setOpen(!open)}>
          <Avatar aria-hidden name={shown} color="lagoon" size={32} radius="xl" />
          <span className={classes.who}>
            <VisuallyHidden>Session of </VisuallyHidden>
            <span className={classes.name}>{shown}</span>
            <span className={classes.sub}>{authEnabled ? hostOf(issuer) : 'sign-in is off'}</span>
          </span>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Session">
        <Stack gap="sm">
          <div>
            <Text fw={600} className={classes.wrap}>
              {shown}
            </Text>
            {shown !== subject && <Fact label="Subject" value={subject} />}
            {authEnabled && <Fact label="Issuer" value={issuer} />}
          </div>
          {authEnabled && (
            <div>
              <Text size="xs" c="dimmed" mb={4}>
                Groups
              </Text>
              <Group gap={4}>
                {groups.length === 0 && <Text size="sm">none</Text>}
                {groups.map((group) => (
                  <Badge key={group} variant="default" tt="none" fw={500}>
                    {group}
                  </Badge>
                ))}
              </Group>
            </div>
          )}
          <SegmentedControl fullWidth size="xs" aria-label="Colour scheme" data={SCHEMES} value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)} />
          <Divider />
          <Stack gap={4}>
            <Button
              variant="subtle"
              color="gray"
              justify="flex-start"
              leftSection={<IconKeyboard size={18} />}
              onClick={() => {
                setOpen(false);
                onHelp();
              }}
            >
              Keyboard shortcuts
            </Button>
            <Button component="a" href={servicePath('api/docs')} target="_blank" variant="subtle" color="gray" justify="flex-start" leftSection={<IconApi size={18} />}>
              API reference
            </Button>
            {authEnabled && <SignOutButton />}
          </Stack>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function SignOutButton() {
  return (
    <Button variant="subtle" color="gray" justify="flex-start" leftSection={<IconLogout size={18} />} onClick={() => void signOut()}>
      Sign out
    </Button>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <Text size="xs" c="dimmed" className={classes.wrap}>
      {label}: <span className={classes.value}>{value}</span>
    </Text>
  );
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}
