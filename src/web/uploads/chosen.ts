import type { UploadFile } from '../work/send.ts';

/** A file to upload. `path` is its name, with the folders that it was chosen or dropped in: `photos/2024/a.jpg`. An empty folder's ends in `/`, as the key that stands for it. */
export type ChosenFile = { readonly file: UploadFile; readonly path: string };

/** A drop as it is: a folder is one thing, whose files the desktop application finds. To be called in the event itself. */
export function thingsOfDrop(files: Iterable<File>): ChosenFile[] {
  return [...files].map((file) => ({ file, path: file.name }));
}

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
  const found: ChosenFile[] = [];
  for (const item of items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    if (entry) {
      entries.push(entry);
      continue;
    }
    const file = item.getAsFile();
    if (file) found.push({ file, path: file.name });
  }
  for (const entry of entries) await gather(entry, '', found);
  return found;
}

async function gather(entry: FileSystemEntry, folder: string, found: ChosenFile[]): Promise<void> {
  const path = folder + entry.name;
  if (isFile(entry)) {
    found.push({ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), path });
    return;
  }
  const children = await childrenOf(entry as FileSystemDirectoryEntry);
  if (children.length === 0) found.push({ file: new File([], entry.name), path: `${path}/` });
  for (const child of children) await gather(child, `${path}/`, found);
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
