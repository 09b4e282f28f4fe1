import { IconArrowsMove, IconCopy, IconDownload, IconFileUpload, IconFileZip, IconFolderPlus, IconFolderUp, IconPencil, IconPlus, IconShare, IconTrash } from '@tabler/icons-react';
import { folderOf, type Place } from '../place/place.ts';
import { chooseFiles, uploadTo } from '../uploads/choose.ts';
import type { Action, BucketTarget, ProviderTarget, Selection } from './action.ts';

const isOneFile = ({ entries }: Selection) => entries.length === 1 && entries[0]?.kind === 'file';

function inFolder(place: Place): Place {
  return { ...place, prefix: folderOf(place.prefix) };
}

/** Every action of the UI, by what it works on, in the order in which menus show them. What is not needed to show them is loaded when one is run. */
export const actions: {
  readonly provider: readonly Action<ProviderTarget>[];
  readonly bucket: readonly Action<BucketTarget>[];
  readonly folder: readonly Action<Place>[];
  readonly entries: readonly Action<Selection>[];
} = {
  provider: [
    {
      id: 'create-bucket',
      label: 'Create bucket',
      icon: IconPlus,
      needs: ['buckets:create'],
      prominent: true,
      run: ({ provider }, around) => void import('./create-bucket.tsx').then(({ openCreateBucket }) => openCreateBucket(provider, around)),
    },
  ],
  bucket: [
    {
      id: 'delete-bucket',
      label: 'Delete bucket',
      icon: IconTrash,
      needs: ['buckets:delete'],
      destructive: true,
      run: (bucket, around) => void import('./delete-bucket.tsx').then(({ openDeleteBucket }) => openDeleteBucket(bucket, around)),
    },
  ],
  folder: [
    {
      id: 'upload-files',
      label: 'Upload files',
      icon: IconFileUpload,
      needs: ['objects:write'],
      puts: true,
      prominent: true,
      run: (place) => void chooseFiles().then((files) => uploadTo(inFolder(place), files)),
    },
    {
      id: 'upload-folder',
      label: 'Upload folder',
      icon: IconFolderUp,
      needs: ['objects:write'],
      puts: true,
      run: (place) => void chooseFiles({ folder: true }).then((files) => uploadTo(inFolder(place), files)),
    },
    {
      id: 'new-folder',
      label: 'New folder',
      icon: IconFolderPlus,
      needs: ['objects:write'],
      puts: true,
      prominent: true,
      run: (place, around) => void import('./new-folder.tsx').then(({ openNewFolder }) => openNewFolder(inFolder(place), around)),
    },
    {
      id: 'download-folder',
      label: 'Download folder as ZIP',
      icon: IconFileZip,
      needs: ['objects:get'],
      run: (place) => void import('./download.ts').then(({ downloadFolder }) => downloadFolder(place)),
    },
  ],
  entries: [
    {
      id: 'download',
      label: 'Download',
      icon: IconDownload,
      needs: ['objects:get'],
      prominent: true,
      fits: isOneFile,
      run: (selection) => void import('./download.ts').then(({ downloadFile }) => downloadFile(selection)),
    },
    {
      id: 'download-zip',
      label: 'Download as ZIP',
      icon: IconFileZip,
      needs: ['objects:get'],
      prominent: true,
      fits: (selection) => !isOneFile(selection),
      run: (selection) => void import('./download.ts').then(({ downloadSelection }) => downloadSelection(selection)),
    },
    {
      id: 'share',
      label: 'Share link',
      icon: IconShare,
      needs: ['objects:presign', 'objects:get'],
      prominent: true,
      fits: isOneFile,
      run: (selection) => void import('./share-link.tsx').then(({ openShareLink }) => openShareLink(selection)),
    },
    {
      id: 'rename',
      label: 'Rename',
      icon: IconPencil,
      needs: ['objects:get', 'objects:write', 'objects:delete'],
      hotkey: 'F2',
      fits: ({ entries }) => entries.length === 1,
      run: (selection, around) => void import('./rename.tsx').then(({ openRename }) => openRename(selection, around)),
    },
    {
      id: 'copy',
      label: 'Copy to…',
      icon: IconCopy,
      needs: ['objects:get'],
      run: (selection, around) => void import('./copy-move.tsx').then(({ openCopy }) => openCopy(selection, around)),
    },
    {
      id: 'move',
      label: 'Move to…',
      icon: IconArrowsMove,
      needs: ['objects:get', 'objects:delete'],
      run: (selection, around) => void import('./copy-move.tsx').then(({ openMove }) => openMove(selection, around)),
    },
    {
      id: 'delete',
      label: 'Delete',
      icon: IconTrash,
      needs: ['objects:delete'],
      prominent: true,
      destructive: true,
      hotkey: 'Delete',
      run: (selection, around) => void import('./delete-entries.tsx').then(({ openDelete }) => openDelete(selection, around)),
    },
  ],
};
