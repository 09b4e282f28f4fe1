import { Badge, Group, Text } from '@mantine/core';

/** Names side by side. */
export function Names({ names, none }: { names: readonly string[]; none: string }) {
  if (names.length === 0) return <Text size="sm" c="dimmed">{none}</Text>;
  return (
    <Group gap={6}>
      {names.map((name) => (
        <Badge key={name} variant="light" color="gray" tt="none" fw={500} radius="sm">
          {name}
        </Badge>
      ))}
    </Group>
  );
}
