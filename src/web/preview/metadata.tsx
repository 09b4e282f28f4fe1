import { ActionIcon, CopyButton, Group, Title } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatBytes } from '../../format/byte-size.ts';
import type { ObjectEntry } from '../../wire/http.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { formatExactTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { kindOf } from '../objects/kind.ts';
import { t } from '../words/words.ts';
import classes from './details.module.css';
import { metadataValue } from './metadata-value.ts';

/** The metadata of an object. @param listed - the entry in the listing, for an object that the user may list but not read. */
export function Metadata({
  object,
  head,
  listed,
}: {
  object: ObjectRef;
  head: ObjectHead | undefined;
  listed: ObjectEntry | undefined;
}) {
  const size = head?.size ?? listed?.size ?? 0;
  const modified = head?.modified?.toISOString() ?? listed?.last_modified;
  const keeping = head?.keeping;
  const etag = (head?.etag ?? listed?.etag ?? '').replaceAll('"', '');
  return (
    <section aria-label={t('Metadata')}>
      <dl className={classes.facts}>
        <Fact name={t('Size')}>
          {formatBytes(size)} {size >= 1_000 && <span className="tabular">({t('{size} bytes', { size })})</span>}
        </Fact>
        <Fact name={t('Kind')}>{kindOf(object.key).label}</Fact>
        {head && <Fact name={t('Stored type')}>{head.type || t('none')}</Fact>}
        {modified !== undefined && <Fact name={t('Modified')}>{formatExactTime(modified)}</Fact>}
        {keeping?.storageClass !== undefined && <Fact name={t('Storage class')}>{keeping.storageClass}</Fact>}
        {keeping?.lockedUntil !== undefined && (
          <Fact name={t('Locked until')}>
            {formatExactTime(keeping.lockedUntil.toISOString())}
            {keeping.lockMode !== undefined && ` (${keeping.lockMode})`}
          </Fact>
        )}
        {keeping?.legalHold === true && <Fact name={t('Legal hold')}>{t('Set')}</Fact>}
        {etag !== '' && (
          <Fact name={'ETag'} copy={etag}>
            {etag}
          </Fact>
        )}
        <Fact name={t('Key')} copy={object.key}>
          <Name>{object.key}</Name>
        </Fact>
        <Fact name={t('Address')} copy={`s3://${object.bucket}/${object.key}`}>
          <Name>{`s3://${object.bucket}/${object.key}`}</Name>
        </Fact>
      </dl>
      {head && head.metadata.length > 0 && (
        <>
          <Title order={2} size="h5" mt="md" mb="xs">
            {t('Custom metadata')}
          </Title>
          <dl className={classes.facts}>
            {head.metadata.map(([name, value]) => (
              <Fact key={name} name={name}>
                <Name>{metadataValue(value)}</Name>
              </Fact>
            ))}
          </dl>
        </>
      )}
    </section>
  );
}

function Fact({ name, copy, children }: { name: string; copy?: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {copy === undefined ? (
          children
        ) : (
          <Group gap={4} wrap="nowrap" align="flex-start" justify="space-between">
            <span>{children}</span>
            <CopyButton value={copy}>
              {({ copied, copy: run }) => (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={copied ? t('{name} copied', { name }) : t('Copy {name}', { name })}
                  onClick={run}
                >
                  {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
                </ActionIcon>
              )}
            </CopyButton>
          </Group>
        )}
      </dd>
    </>
  );
}
