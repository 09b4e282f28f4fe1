import { constructFromEvents, EVENT_ID, getScalarValue, parseEvents, YAMLException, type Event } from 'js-yaml';
import { joinPath } from './key-path.ts';

/** A YAML file as plain data, with the line of each key path; or the reason why it cannot be read. */
export type YamlFile =
  | { readonly value: unknown; readonly lineOf: (path: string) => number | undefined; readonly fault?: undefined }
  | { readonly fault: { readonly message: string; readonly line: number | undefined } };

/** Reads one YAML document. Aliases, merge keys and duplicate keys are refused, so that a configuration says each thing once, at its key. */
export function readYaml(source: string): YamlFile {
  try {
    const events = parseEvents(source, { maxDepth: 50 });
    const documents = constructFromEvents(events, { source, maxAliases: 0 });
    if (documents.length !== 1)
      return {
        fault: {
          message: documents.length === 0 ? 'the file is empty' : 'the file holds more than one document',
          line: undefined,
        },
      };
    const lines = linesOf(events, source);
    return { value: documents[0], lineOf: (path) => nearestLine(lines, path) };
  } catch (error) {
    if (error instanceof YAMLException) return { fault: faultOf(error) };
    throw error;
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  [
    'aliases exceeded maxAliases (0)',
    'aliases (`*name`) are not taken; write the value out, and put a text that begins with `*` in quotes',
  ],
  ['duplicated mapping key', 'the key is used twice in the same mapping'],
]);

/** The parser's reason may quote the file, and its snippet does. Neither is repeated, because the quote could contain a secret. */
function faultOf({ reason, mark }: YAMLException): { message: string; line: number | undefined } {
  const { line } = (mark ?? {}) as { readonly line?: number };
  const plain = reason.replace(/\s*(?:!<.*|".*|: .*)/s, '');
  return {
    message: `is not valid YAML: ${REASONS.get(reason) ?? plain}`,
    line: line === undefined ? undefined : line + 1,
  };
}

/** The line of a key path; for a missing key, the line of the enclosing key. */
function nearestLine(lines: ReadonlyMap<string, number>, path: string): number | undefined {
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const line = lines.get(at);
    if (line !== undefined) return line;
  }
  return undefined;
}

type Open = {
  readonly path: string;
  readonly kind: 'map' | 'list' | 'document';
  index: number;
  key: string | undefined;
};

/** Walks the parser's events as a tree: in a mapping they alternate between key and value. */
function linesOf(events: readonly Event[], source: string): Map<string, number> {
  const lines = new Map<string, number>();
  const starts = lineStarts(source);
  const open: Open[] = [];
  const place = (offset: number): string => {
    const top = open.at(-1);
    if (top === undefined || top.kind === 'document') return '';
    const path = top.kind === 'list' ? joinPath(top.path, String(top.index++)) : joinPath(top.path, top.key ?? '');
    if (top.kind === 'list' && offset >= 0) lines.set(path, lineAt(starts, offset));
    if (top.kind === 'map') top.key = undefined;
    return path;
  };
  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) open.push({ path: '', kind: 'document', index: 0, key: undefined });
    else if (event.type === EVENT_ID.POP) open.pop();
    else if (event.type === EVENT_ID.MAPPING)
      open.push({ path: place(event.start), kind: 'map', index: 0, key: undefined });
    else if (event.type === EVENT_ID.SEQUENCE)
      open.push({ path: place(event.start), kind: 'list', index: 0, key: undefined });
    else if (event.type === EVENT_ID.SCALAR) {
      const top = open.at(-1);
      if (top?.kind === 'map' && top.key === undefined) {
        top.key = getScalarValue(source, event);
        lines.set(joinPath(top.path, top.key), lineAt(starts, event.valueStart));
      } else place(event.valueStart);
    } else place(-1);
  }
  return lines;
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
