import type { UploadFile } from '../work/send.ts';

/** A file to upload. `path` contains the folders in which it was chosen or dropped: `photos/2024/a.jpg`. The path of an empty folder ends in `/`. */
export type ChosenFile = { readonly file: UploadFile; readonly path: string };

/** What was dropped, and how many files and folders of it the browser cannot read: one may be gone, or have a name that is not valid. */
export type Dropped = { readonly files: readonly ChosenFile[]; readonly leftOut: number };

/** The files and folders of a drop. A folder is a single item, which the desktop application reads. Call it in the drop event itself. */
export function thingsOfDrop(files: Iterable<File>): Dropped {
  return { files: [...files].map((file) => ({ file, path: file.name })), leftOut: 0 };
}

/** The files of an `<input type="file">`, with or without `webkitdirectory`. */
export function filesOfInput(files: Iterable<File>): ChosenFile[] {
  return [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/**
 * The files of a drop, including all files in dropped folders.
 *
 * Call it in the drop event itself, because the browser clears the items after the event.
 */
export async function filesOfDrop(items: DataTransferItemList): Promise<Dropped> {
  const entries: FileSystemEntry[] = [];
  const found: Found = { files: [], leftOut: 0 };
  for (const item of items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    if (entry) {
      entries.push(entry);
      continue;
    }
    const file = item.getAsFile();
    if (file) found.files.push({ file, path: file.name });
  }
  for (const entry of entries) await gather(entry, '', found);
  return found;
}

type Found = { readonly files: ChosenFile[]; leftOut: number };

async function gather(entry: FileSystemEntry, folder: string, found: Found): Promise<void> {
  const path = folder + entry.name;
  let children: readonly FileSystemEntry[];
  try {
    if (isFile(entry)) {
      const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
      found.files.push({ file, path });
      return;
    }
    children = await childrenOf(entry as FileSystemDirectoryEntry);
  } catch {
    found.leftOut += 1;
    return;
  }
  if (children.length === 0) found.files.push({ file: new File([], entry.name), path: `${path}/` });
  for (const child of children) await gather(child, `${path}/`, found);
}

/** Reads all entries of a directory. A reader returns at most one hundred entries at a time, and an empty list at the end. */
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
