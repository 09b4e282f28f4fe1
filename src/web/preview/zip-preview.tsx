import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../../format/byte-size.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { Name } from '../names/name.tsx';
import { piecesOf, visibleText } from '../names/visible.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { plural, t } from '../words/words.ts';
import { firstRows, shownName } from './cells.ts';
import classes from './details.module.css';
import { rangeReader } from './object-bytes.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';
import { readZipDirectory } from './zip-directory.ts';

const MOST_SHOWN = 1_000;

/** The members of a ZIP archive. Their content is not read. */
export function ZipPreview({ object, head: { size, etag } }: { object: ObjectRef; head: ObjectHead }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['preview-zip', object, size, etag],
    queryFn: async ({ signal, client }) =>
      (await readZipDirectory(rangeReader(object, { etag, signal, client }), size)) ?? 'no archive',
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  if (data === 'no archive')
    return <NoPreview>{t('This ZIP archive cannot be read. Download it to open it.')}</NoPreview>;
  if (data.count === 0) return <NoPreview>{t('This archive is empty.')}</NoPreview>;
  const names = data.members.slice(0, MOST_SHOWN).map(({ name }) => shownName(name));
  const shown = firstRows(names.map(cellsOf)).map((_, index) => ({
    ...data.members[index]!,
    shownAs: names[index]!,
  }));
  const isWhole = shown.length === data.count;
  const unpacked = data.members.reduce((sum, { size: bytes }) => sum + bytes, 0);
  return (
    <>
      <div
        className={classes.scroll}
        tabIndex={0}
        role="group"
        aria-label={t('Content of {key}', { key: visibleText(baseName(object.key)) })}
      >
        <table className={`${classes.table} ${classes.members} tabular`}>
          <thead>
            <tr>
              <th scope="col">{t('Name')}</th>
              <th scope="col">{t('Size')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, shownAs, isFolder, size: bytes }, index) => (
              <tr key={index}>
                <td>
                  <span className={classes.member} title={visibleText(shownAs)}>
                    <EntryIcon entry={{ kind: isFolder ? 'folder' : 'file', key: name }} size={16} />
                    <Name cut>{shownAs}</Name>
                  </span>
                </td>
                <td>{isFolder ? '–' : formatBytes(bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Text size="xs" c="dimmed" className={classes.note}>
        {isWhole
          ? plural(data.count, '{count} entry, {size} unpacked', '{count} entries, {size} unpacked', {
              size: formatBytes(unpacked),
            })
          : t('The first {shown} of {count} entries. Download the archive to see all of them.', {
              shown: shown.length,
              count: data.count,
            })}
      </Text>
    </>
  );
}

/** A name as the cells that take as long to lay out. An invisible character, which has a frame, takes as long as two. */
function cellsOf(name: string): readonly string[] {
  return piecesOf(name).flatMap(({ text, isHidden }) => (isHidden ? [text, ''] : [text]));
}
