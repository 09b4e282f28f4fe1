import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Settings } from '../config/read/settings.ts';
import type { Logger } from '../log/logger.ts';
import { PictureStore } from '../thumbnail/picture-store.ts';
import { temporaryFolder } from '../thumbnail/temporary-folder.ts';
import { Thumbnails } from '../thumbnail/thumbnails.ts';

export type OpenThumbnails = { readonly thumbnails: Thumbnails; readonly close: () => Promise<void> };

/** Opens the folder of the thumbnails. Without a configured path it is temporary, and closing removes it. */
export async function openThumbnails(
  { path, maxBytes }: NonNullable<Settings['thumbnails']>,
  log: Logger,
): Promise<OpenThumbnails> {
  const folder = path ?? (await temporaryFolder(tmpdir()));
  const thumbnails = new Thumbnails({ store: new PictureStore(folder, maxBytes), warn: log.warn });
  return {
    thumbnails,
    close: async () => {
      thumbnails.close();
      if (path === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
