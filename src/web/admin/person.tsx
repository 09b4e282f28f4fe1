import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { t } from '../words/words.ts';
import classes from './person.module.css';

/** The name, subject and issuer of a person. @param mark - the text of a badge beside the name. @param link - the in-app link of the name, and its label. */
export function Person({
  name,
  subject,
  issuer,
  mark,
  link,
}: {
  name: string;
  subject: string;
  issuer: string;
  mark?: string | undefined;
  link?: { readonly to: string; readonly label: string };
}) {
  return (
    <div className={classes.person}>
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" fw={600} className={classes.line} {...(link === undefined && { title: visibleText(name) })}>
          {link === undefined ? (
            <Name>{name}</Name>
          ) : (
            <Anchor
              component={Link}
              inherit
              to={link.to}
              title={visibleText(link.label)}
              aria-label={visibleText(link.label)}
            >
              <Name>{name}</Name>
            </Anchor>
          )}
        </Text>
        {mark !== undefined && (
          <Badge variant="light" radius="sm" tt="none" flex="none">
            {mark}
          </Badge>
        )}
      </Group>
      <Text
        size="xs"
        c="dimmed"
        className={classes.line}
        title={t('{subject} of {issuer}', { subject: visibleText(subject), issuer })}
      >
        <Name>{subject}</Name>
        {issuer !== '' && ` ${t('of {issuer}', { issuer })}`}
      </Text>
    </div>
  );
}
