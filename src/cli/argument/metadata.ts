import { MTIME } from '../../client/modification-time.ts';
import { META, storedFault, type StoredHeaders } from '../../wire/stored-headers.ts';
import { usageFault } from '../terminal/cli-failure.ts';

/** Names that are those of headers. Any other name is of one's own, and storage keeps it as `x-amz-meta-…`. */
const HEADERS = ['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'expires'];

const MAX_TIME_LENGTH = 22;

export const METADATA_HELP = `--metadata stores \`cache-control\`, \`content-disposition\`, \`content-encoding\`,
\`content-language\` and \`expires\` as these headers, and any other name, in lower
case, as \`x-amz-meta-NAME\`. --resume does not compare it.`;

/**
 * The headers that `--metadata KEY=VALUE` stores with uploads.
 *
 * @returns undefined when nothing was given.
 * @throws {CliFailure} usage
 */
export function storedByOption(pairs: readonly string[] | undefined): StoredHeaders | undefined {
  if (pairs === undefined) return undefined;
  const stored = new Map<string, string>();
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    if (end < 1) throw usageFault('metadata has a name and a value: `--metadata project=apollo`');
    const name = pair.slice(0, end).toLowerCase();
    const header = HEADERS.includes(name) ? name : META + name;
    if (name === 'content-type') throw usageFault('the content type has an option of its own: `--content-type TYPE`');
    if (name.startsWith('x-amz-'))
      throw usageFault(`\`${name}\` is no name for \`--metadata\`; leave \`x-amz-meta-\` out, which is added`);
    if (header === MTIME)
      throw usageFault('`mtime` is the modification time of the file, which uploads keep; give another name');
    if (stored.has(header)) throw usageFault(`\`--metadata\` has \`${name}\` twice; give it once`);
    // Storage keeps bytes, each of which is a character of the text of a header.
    const value = Buffer.from(pair.slice(end + 1).trim()).toString('latin1');
    const fault = storedFault({ [header]: value });
    if (fault !== undefined) throw usageFault(`\`--metadata ${name}\` ${fault.message}`);
    stored.set(header, value);
  }
  const headers = Object.fromEntries(stored);
  // The time of the file, which uploads keep too, counts for the limit.
  const fault = storedFault({ ...headers, [MTIME]: '0'.repeat(MAX_TIME_LENGTH) });
  if (fault !== undefined) throw usageFault(`\`--metadata\` ${fault.message}`);
  return headers;
}
