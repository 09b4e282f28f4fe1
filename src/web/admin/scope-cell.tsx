import { Stack } from '@mantine/core';
import type { ApiKeyScopeWire } from '../../wire/api-key.ts';
import { t } from '../words/words.ts';
import { Names } from './names.tsx';
import { SelectorText } from './selector-text.tsx';

/** The scope of an API key in a table cell. */
export function ScopeCell({ scope }: { scope: ApiKeyScopeWire }) {
  return (
    <Stack gap="xs">
      {scope.rules.map((rule, index) => (
        <Stack key={index} gap={4}>
          <Names names={rule.actions} none={t('nothing')} />
          {rule.resources.map((selector) => (
            <div key={JSON.stringify(selector)}>
              <SelectorText selector={selector} />
            </div>
          ))}
        </Stack>
      ))}
    </Stack>
  );
}
