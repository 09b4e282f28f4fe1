import { Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Explanation } from '../../wire/http.ts';
import { Names } from './names.tsx';

/** The roles and policies of a person. */
export function Holdings({ explanation: { roles, policies } }: { explanation: Pick<Explanation, 'roles' | 'policies'> }) {
  return (
    <Stack gap="xs" component="section" aria-label="What the person holds">
      <Text size="sm" fw={600}>
        What the person holds
      </Text>
      <Names names={roles.map((role) => `role ${role}`)} none="no role" />
      <Names names={policies} none="no policy: nothing is bound to this subject or to these groups" />
      <Text size="xs" c="dimmed">
        <Link to="/admin/bindings">Bindings</Link> say who gets which of them, <Link to="/admin/policies">policies</Link> what is in them.
      </Text>
    </Stack>
  );
}
