import type { UploadFile } from './send.ts';

/** A file to upload. `path` is its name, with the folders that it was chosen or dropped in: `photos/2024/a.jpg`. */
export type ChosenFile = { readonly file: UploadFile; readonly path: string };

/** The files of an `<input type="file">`, with or without `webkitdirectory`. */
export function filesOfInput(files: Iterable<File>): ChosenFile[] {
  return [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/**
 * The files of a drop, folders walked to the bottom.
 *
 * Has to be called in the event itself: the browser takes the items back when the event is over.
 */
export async function filesOfDrop(items: DataTransferItemList): Promise<ChosenFile[]> {
  const entries: FileSystemEntry[] = [];
  const plain: ChosenFile[] = [];
  for (const item of items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    if (entry) {
      entries.push(entry);
      continue;
    }
    const file = item.getAsFile();
    if (file) plain.push({ file, path: file.name });
  }
  const found = await Promise.all(entries.map((entry) => filesBeneath(entry, '')));
  return [...plain, ...found.flat()];
}

async function filesBeneath(entry: FileSystemEntry, folder: string): Promise<ChosenFile[]> {
  if (isFile(entry)) return [{ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), path: folder + entry.name }];
  const found: ChosenFile[] = [];
  for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) found.push(...(await filesBeneath(child, `${folder}${entry.name}/`)));
  return found;
}

/** A reader gives at most a hundred entries at a time; an empty answer is the end. */
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return children;
    children.push(...some);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
