import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Name } from '../names/name.tsx';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import type { Selector } from './records.ts';

/** A resource selector in words: `everything in team/docs`, `keys of team/docs that start with photos/`. */
export function SelectorText({ selector }: { selector: Selector }) {
  switch (selector.type) {
    case 'all':
      return <Words>{t('everything')}</Words>;
    case 'provider':
      return <Words>{rich('everything in {place}', { place: <Code>{selector.provider}</Code> })}</Words>;
    case 'bucket':
      return <Words>{rich('everything in {place}', { place: <BucketName {...selector} /> })}</Words>;
    case 'prefix':
      if (selector.each !== undefined)
        return (
          <Words>
            {rich('keys of {bucket} that start with {prefix}', {
              bucket: <BucketName {...selector} />,
              prefix: <Code>{`${selector.prefix}{${selector.each}}/`}</Code>,
            })}
          </Words>
        );
      return selector.prefix === '' ? (
        <Words>{rich('every key of {bucket}', { bucket: <BucketName {...selector} /> })}</Words>
      ) : (
        <Words>
          {rich('keys of {bucket} that start with {prefix}', {
            bucket: <BucketName {...selector} />,
            prefix: <Code>{selector.prefix}</Code>,
          })}
        </Words>
      );
    case 'object':
      return (
        <Words>
          {rich('the key {key} of {bucket}', {
            key: (
              <Code>
                <Name>{selector.key}</Name>
              </Code>
            ),
            bucket: <BucketName {...selector} />,
          })}
        </Words>
      );
  }
}

function Words({ children }: { children: ReactNode }) {
  return (
    <Text span size="sm">
      {children}
    </Text>
  );
}

function BucketName({ provider, bucket }: { provider: string; bucket: string }) {
  return <Code>{`${provider}/${bucket}`}</Code>;
}
