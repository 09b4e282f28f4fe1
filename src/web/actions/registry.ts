import {
  IconArrowsMove,
  IconCalculator,
  IconClipboardCopy,
  IconClipboardText,
  IconCopy,
  IconCut,
  IconDeviceFloppy,
  IconDownload,
  IconEdit,
  IconFileUpload,
  IconFileZip,
  IconFolderPlus,
  IconFolderSymlink,
  IconFolderUp,
  IconHistory,
  IconKey,
  IconLink,
  IconPencil,
  IconPlugConnected,
  IconPlus,
  IconRestore,
  IconShare,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react';
import { desktop } from '../desktop/desktop.ts';
import { isEditable } from '../objects/editable.ts';
import { withDialog } from '../parts/dialogs.tsx';
import { withPart } from '../parts/with-part.ts';
import { whoLink } from '../place/admin-link.ts';
import { connectLink, folderOf, keyLink, placeLink, type Place } from '../place/place.ts';
import { sessionState } from '../session/session.ts';
import { chooseFiles, uploadTo } from '../uploads/choose.ts';
import { t } from '../words/words.ts';
import {
  NEEDED_TO_COPY,
  NEEDED_TO_MOVE,
  NEEDED_TO_UNDELETE,
  type Action,
  type BucketTarget,
  type ProviderTarget,
  type Selection,
} from './action.ts';
import { edit } from './edit.ts';
import { held } from './held.ts';

const account = () => {
  const state = sessionState();
  return state.status === 'active' ? state.account : undefined;
};
const isAdmin = () => account()?.isAdmin === true;
const hasApiKeys = () => account()?.hasApiKeys === true;
const hasS3 = () => (account()?.s3 ?? null) !== null;

const isOneFile = ({ entries }: Selection) => entries.length === 1 && entries[0]?.kind === 'file';

function inFolder(place: Place): Place {
  return { ...place, prefix: folderOf(place.prefix) };
}

/**
 * All actions of the UI by their target, in the order of the menus. The code of an action is loaded when the action runs. They are in one file, because this is one
 * list to be read from top to bottom: which menu has what, and which permission it needs.
 */
export const actions: {
  readonly provider: readonly Action<ProviderTarget>[];
  readonly bucket: readonly Action<BucketTarget>[];
  readonly folder: readonly Action<Place>[];
  readonly entries: readonly Action<Selection>[];
} = {
  provider: [
    {
      id: 'create-bucket',
      label: t('Create bucket'),
      icon: IconPlus,
      needs: ['buckets:create'],
      prominent: true,
      run: ({ provider }, around) =>
        withDialog(
          () => import('./create-bucket.tsx'),
          ({ openCreateBucket }) => openCreateBucket(provider, around),
        ),
    },
  ],
  bucket: [
    {
      id: 'connect-bucket',
      label: t('Connect a tool here'),
      icon: IconPlugConnected,
      needs: ['objects:list'],
      fits: hasS3,
      run: (bucket, { navigate }) => navigate(connectLink({ ...bucket, prefix: '' })),
    },
    {
      id: 'who-in-bucket',
      label: t('Who has access'),
      icon: IconUsers,
      needs: [],
      fits: isAdmin,
      run: (bucket, { navigate }) => navigate(whoLink(bucket)),
    },
    {
      id: 'delete-bucket',
      label: t('Delete bucket'),
      icon: IconTrash,
      needs: ['buckets:delete'],
      destructive: true,
      run: (bucket, around) =>
        withDialog(
          () => import('./delete-bucket.tsx'),
          ({ openDeleteBucket }) => openDeleteBucket(bucket, around),
        ),
    },
  ],
  folder: [
    {
      id: 'upload-files',
      label: t('Upload files'),
      icon: IconFileUpload,
      needs: ['objects:write'],
      puts: true,
      prominent: true,
      run: (place) => void chooseFiles().then((files) => uploadTo(inFolder(place), files)),
    },
    {
      id: 'upload-folder',
      label: t('Upload folder'),
      icon: IconFolderUp,
      needs: ['objects:write'],
      puts: true,
      run: (place) => void chooseFiles({ folder: true }).then((files) => uploadTo(inFolder(place), files)),
    },
    {
      id: 'watch-folder',
      label: t('Watch a local folder…'),
      icon: IconFolderSymlink,
      needs: ['objects:write'],
      puts: true,
      fits: () => desktop?.watchFolder !== undefined,
      run: (place) =>
        withPart(
          () => import('./watched-folders.tsx'),
          ({ watchFolder }) => watchFolder(inFolder(place)),
        ),
    },
    {
      id: 'new-folder',
      label: t('New folder'),
      icon: IconFolderPlus,
      needs: ['objects:write'],
      puts: true,
      prominent: true,
      run: (place, around) =>
        withDialog(
          () => import('./new-folder.tsx'),
          ({ openNewFolder }) => openNewFolder(inFolder(place), around),
        ),
    },
    {
      id: 'paste',
      label: t('Paste'),
      icon: IconClipboardText,
      needs: ['objects:write'],
      puts: true,
      prominent: true,
      hotkey: 'mod+V',
      fits: () => held.getState() !== undefined,
      run: (place, around) =>
        withPart(
          () => import('./cut-and-paste.ts'),
          ({ paste }) => paste(inFolder(place), around),
        ),
    },
    {
      id: 'download-folder',
      label: t('Download folder as ZIP'),
      icon: IconFileZip,
      needs: ['objects:get'],
      run: (place) =>
        withPart(
          () => import('./download.ts'),
          ({ downloadFolder }) => downloadFolder(place),
        ),
    },
    {
      id: 'folder-link',
      label: t('Copy link'),
      icon: IconLink,
      needs: ['objects:list'],
      run: (place) =>
        withPart(
          () => import('./copy-link.tsx'),
          ({ copyLink }) => void copyLink(placeLink(place)),
        ),
    },
    {
      id: 'folder-size',
      label: t('Calculate size'),
      icon: IconCalculator,
      needs: ['objects:list'],
      run: (place) =>
        withDialog(
          () => import('./folder-size.tsx'),
          ({ openFolderSize }) => openFolderSize(inFolder(place)),
        ),
    },
    {
      id: 'restore-folder',
      label: t('Restore this folder to…'),
      icon: IconHistory,
      needs: NEEDED_TO_UNDELETE,
      run: (place, around) =>
        withDialog(
          () => import('./restore-folder.tsx'),
          ({ openRestoreFolder }) => openRestoreFolder(inFolder(place), around),
        ),
    },
    {
      id: 'connect-folder',
      label: t('Connect a tool here'),
      icon: IconPlugConnected,
      needs: ['objects:list'],
      fits: hasS3,
      run: (place, { navigate }) => navigate(connectLink(inFolder(place))),
    },
    {
      id: 'key-folder',
      label: t('API key for this folder'),
      icon: IconKey,
      needs: ['objects:list'],
      fits: hasApiKeys,
      run: (place, { navigate }) => navigate(keyLink(inFolder(place))),
    },
    {
      id: 'who-in-folder',
      label: t('Who has access'),
      icon: IconUsers,
      needs: [],
      fits: isAdmin,
      run: (place, { navigate }) => navigate(whoLink(inFolder(place))),
    },
  ],
  entries: [
    {
      id: 'restore',
      label: t('Restore'),
      icon: IconRestore,
      needs: NEEDED_TO_UNDELETE,
      onDeleted: true,
      prominent: true,
      hotkey: 'r',
      run: (selection, around) =>
        withPart(
          () => import('./undelete.ts'),
          ({ restoreDeleted }) => restoreDeleted(selection, around),
        ),
    },
    {
      id: 'download',
      label: t('Download'),
      icon: IconDownload,
      needs: ['objects:get'],
      prominent: true,
      fits: isOneFile,
      run: (selection) =>
        withPart(
          () => import('./download.ts'),
          ({ downloadFile }) => downloadFile(selection),
        ),
    },
    {
      id: 'download-as',
      label: t('Download as…'),
      icon: IconDeviceFloppy,
      needs: ['objects:get'],
      fits: (selection) => desktop?.downloadAs !== undefined && isOneFile(selection),
      run: (selection) =>
        withPart(
          () => import('./download.ts'),
          ({ downloadFileAs }) => downloadFileAs(selection),
        ),
    },
    {
      id: 'download-zip',
      label: t('Download as ZIP'),
      icon: IconFileZip,
      needs: ['objects:get'],
      prominent: true,
      fits: (selection) => !isOneFile(selection),
      run: (selection) =>
        withPart(
          () => import('./download.ts'),
          ({ downloadSelection }) => downloadSelection(selection),
        ),
    },
    {
      id: 'share',
      label: t('Share link'),
      icon: IconShare,
      needs: ['objects:presign', 'objects:get'],
      prominent: true,
      fits: isOneFile,
      run: (selection) =>
        withDialog(
          () => import('./share-link.tsx'),
          ({ openShareLink }) => openShareLink(selection),
        ),
    },
    {
      id: 'edit',
      label: t('Edit'),
      icon: IconEdit,
      needs: ['objects:get', 'objects:write'],
      fits: ({ entries: [entry, ...others] }) => others.length === 0 && entry !== undefined && isEditable(entry),
      run: edit,
    },
    {
      id: 'link',
      label: t('Copy link'),
      icon: IconLink,
      needs: ['objects:get'],
      fits: ({ entries }) => entries.length === 1,
      run: ({ place, entries: [entry] }) =>
        withPart(
          () => import('./copy-link.tsx'),
          ({ copyLink }) =>
            void copyLink(
              entry?.kind === 'folder' ? placeLink({ ...place, prefix: entry.key }) : placeLink(place, entry?.key),
            ),
        ),
    },
    {
      id: 'rename',
      label: t('Rename'),
      icon: IconPencil,
      needs: ['objects:get', 'objects:write', 'objects:delete'],
      hotkey: 'F2',
      fits: ({ entries }) => entries.length === 1,
      run: (selection, around) =>
        withDialog(
          () => import('./rename.tsx'),
          ({ openRename }) => openRename(selection, around),
        ),
    },
    {
      id: 'cut',
      label: t('Cut'),
      icon: IconCut,
      needs: NEEDED_TO_MOVE,
      puts: true,
      hotkey: 'mod+X',
      run: (selection) =>
        withPart(
          () => import('./cut-and-paste.ts'),
          ({ cut }) => cut(selection),
        ),
    },
    {
      id: 'copy-rows',
      label: t('Copy'),
      icon: IconClipboardCopy,
      needs: NEEDED_TO_COPY,
      puts: true,
      hotkey: 'mod+C',
      run: (selection) =>
        withPart(
          () => import('./cut-and-paste.ts'),
          ({ copy }) => copy(selection),
        ),
    },
    {
      id: 'copy',
      label: t('Copy to…'),
      icon: IconCopy,
      needs: NEEDED_TO_COPY,
      puts: true,
      run: (selection, around) =>
        withDialog(
          () => import('./copy-move.tsx'),
          ({ openCopy }) => openCopy(selection, around),
        ),
    },
    {
      id: 'move',
      label: t('Move to…'),
      icon: IconArrowsMove,
      needs: NEEDED_TO_MOVE,
      puts: true,
      run: (selection, around) =>
        withDialog(
          () => import('./copy-move.tsx'),
          ({ openMove }) => openMove(selection, around),
        ),
    },
    {
      id: 'size',
      label: t('Calculate size'),
      icon: IconCalculator,
      needs: ['objects:list'],
      fits: ({ entries }) => entries.length === 1 && entries[0]?.kind === 'folder',
      run: ({ place, entries: [folder] }) =>
        withDialog(
          () => import('./folder-size.tsx'),
          ({ openFolderSize }) => openFolderSize({ ...place, prefix: folder?.key ?? '' }),
        ),
    },
    {
      id: 'delete',
      label: t('Delete'),
      icon: IconTrash,
      needs: ['objects:delete'],
      prominent: true,
      destructive: true,
      hotkey: 'Delete',
      run: (selection, around) =>
        withDialog(
          () => import('./delete-entries.tsx'),
          ({ openDelete }) => openDelete(selection, around),
        ),
    },
  ],
};
