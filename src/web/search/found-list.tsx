import { Link } from 'react-router';
import { formatBytes } from '../../format/byte-size.ts';
import type { Found } from '../api/search-run.ts';
import { formatDateTime } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { baseName, folderOf, parentOf, placeLink } from '../place/place.ts';
import { t } from '../words/words.ts';
import classes from './search.module.css';

/** The search results, each with its folder and a link that opens it there. */
export function FoundList({ found }: { found: readonly Found[] }) {
  return (
    <ul className={classes.list} aria-label={t('Found')}>
      {found.map(({ provider, bucket, key, object }) => {
        const prefix = object === undefined ? key : folderOf(key);
        const way = [provider, bucket, ...(parentOf(key) ?? '').split('/').slice(0, -1)].join(' / ');
        return (
          <li key={`${provider}/${bucket}/${key}`} className={classes.found}>
            <Link
              to={placeLink({ provider, bucket, prefix }, object?.key)}
              className={classes.link}
              title={visibleText(key)}
            >
              <EntryIcon entry={{ kind: object === undefined ? 'folder' : 'file', key }} />
              <span className={classes.names}>
                <span className={classes.name}>
                  <Name cut>{baseName(key)}</Name>
                </span>
                <span className={classes.way}>
                  <Name cut>{way}</Name>
                </span>
              </span>
              <span className={classes.size}>{object === undefined ? '' : formatBytes(object.size)}</span>
              <span className={classes.time}>{object === undefined ? '' : formatDateTime(object.last_modified)}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
