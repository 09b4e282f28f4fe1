import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(?:css|js|svg)$/;
/** Bytes; a smaller file fits in one packet anyway. */
const WORTH_IT = 1_024;

/** Puts a `.br` and a `.gz` beside each text of the folders, compressed as far as it goes, for the service to send as they are. */
export function precompressed(folders: readonly string[]): Plugin {
  return {
    name: 'precompressed',
    async writeBundle({ dir = '' }) {
      const files = await Promise.all(
        folders.map(async (folder) =>
          (await readdir(join(dir, folder))).filter((name) => TEXT.test(name)).map((name) => join(dir, folder, name)),
        ),
      );
      await Promise.all(files.flat().map(compress));
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  if (bytes.length < WORTH_IT) return;
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)]);
}
