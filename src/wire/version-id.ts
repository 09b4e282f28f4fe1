import { optional, text } from './schema.ts';

export const VERSION_EXAMPLE = { examples: ['3HL4kqtJvjVBH40Nrjfkd'] };
const VERSION = { minLength: 1, maxLength: 256, pattern: '^[\\x21-\\x7e]+$', ...VERSION_EXAMPLE };
export const versionId = text(
  'Version of the object, as a listing of versions gives it: `null`, as a text, for one that was written while the bucket kept no versions.',
  VERSION,
);
/** The version of a read, which asks `objects:versions` in addition to the action of the read. */
export const readVersion = optional(
  text('Read this version instead of the newest. This also asks `objects:versions`.', VERSION),
);
