import { Badge } from '@mantine/core';
import type { Rule } from './records.ts';

export function EffectBadge({ effect }: { effect: Rule['effect'] }) {
  return (
    <Badge variant="light" color={effect === 'deny' ? 'red' : 'lagoon'} radius="sm" tt="none" miw="max-content">
      {effect}
    </Badge>
  );
}
