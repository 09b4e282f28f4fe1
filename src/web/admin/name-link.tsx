import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { policyLink, roleLink } from './rule-filter.ts';

/** The name of a policy, which leads to what it allows. */
export function PolicyName({ name }: { name: string }) {
  return (
    <Anchor component={Link} inherit underline="always" to={policyLink(name)}>
      {name}
    </Anchor>
  );
}

/** The name of a role, which leads to its policies. */
export function RoleName({ name }: { name: string }) {
  return (
    <Anchor component={Link} inherit underline="always" to={roleLink(name)}>
      {name}
    </Anchor>
  );
}
