import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { Explanation } from '../../wire/http.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { Names } from './names.tsx';
import { policyLink, roleLink } from './rule-filter.ts';

/** The roles and policies of a person. */
export function Holdings({
  explanation: { roles, policies },
}: {
  explanation: Pick<Explanation, 'roles' | 'policies'>;
}) {
  return (
    <Stack gap="xs" component="section" aria-label={t('Roles and policies of the person')}>
      <Text size="sm" fw={600}>
        {t('Roles and policies of the person')}
      </Text>
      <Names names={roles} none={t('no role')} linkOf={roleLink} textOf={(role) => t('role {role}', { role })} />
      <Names
        names={policies}
        none={t('no policy, because no binding names this subject or these groups')}
        linkOf={policyLink}
      />
      <Text size="xs" c="dimmed">
        {rich('{bindings} show who gets them, and {policies} show what they allow.', {
          bindings: (
            <Anchor component={Link} inherit underline="always" to="/admin/bindings">
              {t('Bindings')}
            </Anchor>
          ),
          policies: (
            <Anchor component={Link} inherit underline="always" to="/admin/policies">
              {t('policies')}
            </Anchor>
          ),
        })}
      </Text>
    </Stack>
  );
}
