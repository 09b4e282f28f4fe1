import { Badge, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import classes from './names.module.css';

const LOOK = { variant: 'light', color: 'gray', tt: 'none', fw: 500, radius: 'sm' } as const;

/** Names as badges. @param none - the text if there are no names. @param linkOf - the in-app link of a name. @param textOf - the text of a name. */
export function Names({
  names,
  none,
  linkOf,
  textOf = (name) => name,
}: {
  names: readonly string[];
  none: string;
  linkOf?: (name: string) => string;
  textOf?: (name: string) => string;
}) {
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    );
  return (
    <Group gap={6}>
      {names.map((name) =>
        linkOf === undefined ? (
          <Badge key={name} {...LOOK}>
            {textOf(name)}
          </Badge>
        ) : (
          <Badge key={name} {...LOOK} component={Link} to={linkOf(name)} className={classes.link ?? ''}>
            {textOf(name)}
          </Badge>
        ),
      )}
    </Group>
  );
}
