import { Code, Text } from '@mantine/core';
import { Name } from '../names/name.tsx';
import type { Selector } from './records.ts';

/** A resource selector in words: `everything in team/docs`, `keys of team/docs that start with photos/`. */
export function SelectorText({ selector }: { selector: Selector }) {
  switch (selector.type) {
    case 'all':
      return <Text span size="sm">everything</Text>;
    case 'provider':
      return <Words before="everything in" name={selector.provider} />;
    case 'bucket':
      return <Words before="everything in" name={`${selector.provider}/${selector.bucket}`} />;
    case 'prefix':
      return selector.prefix === '' ? (
        <Words before="every key of" name={`${selector.provider}/${selector.bucket}`} />
      ) : (
        <Text span size="sm">
          keys of <Code>{`${selector.provider}/${selector.bucket}`}</Code> that start with <Code>{selector.prefix}</Code>
        </Text>
      );
    case 'object':
      return (
        <Text span size="sm">
          the key <Code><Name>{selector.key}</Name></Code> of <Code>{`${selector.provider}/${selector.bucket}`}</Code>
        </Text>
      );
  }
}

function Words({ before, name }: { before: string; name: string }) {
  return (
    <Text span size="sm">
      {before} <Code>{name}</Code>
    </Text>
  );
}
