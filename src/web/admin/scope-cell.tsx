import { Stack, Text } from '@mantine/core';
import type { ApiKeyScopeWire } from '../../wire/api-key.ts';
import { AllowedWords } from './policy-sentence.tsx';

/** The scope of a key in a table cell, in words. */
export function ScopeCell({ scope }: { scope: ApiKeyScopeWire }) {
  return (
    <Stack gap="xs">
      {scope.rules.map((rule, index) => (
        <Text key={index} size="sm">
          <AllowedWords rule={rule} />
        </Text>
      ))}
    </Stack>
  );
}
