import { Badge, Group, Text } from '@mantine/core';
import { Name } from '../names/name.tsx';
import { t } from '../words/words.ts';
import classes from './person.module.css';

/** A person: their name, and what the identity provider calls them. */
export function Person({ name, subject, issuer, mark }: { name: string; subject: string; issuer: string; mark?: string | undefined }) {
  return (
    <div className={classes.person}>
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" fw={600} className={classes.line} title={name}>
          <Name>{name}</Name>
        </Text>
        {mark !== undefined && (
          <Badge variant="light" radius="sm" tt="none" flex="none">
            {mark}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" className={classes.line} title={t('{subject} of {issuer}', { subject, issuer })}>
        <Name>{subject}</Name>
        {issuer !== '' && ` ${t('of {issuer}', { issuer })}`}
      </Text>
    </div>
  );
}
