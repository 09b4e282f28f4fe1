import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, COLLECTION_STYLE, type ScalarEvent } from 'js-yaml';

/** A value in the text of a YAML file: the characters from `start` to before `end`, without surrounding comments. */
export type YamlNode = {
  readonly kind: 'map' | 'list' | 'scalar';
  /** Whether it is written with brackets or braces. */
  readonly flow: boolean;
  readonly start: number;
  end: number;
  readonly parent: YamlNode | undefined;
  /** The contained values; for a mapping in the order of its keys. */
  readonly children: YamlNode[];
  readonly keys: { readonly name: string; readonly start: number; readonly end: number }[];
};

/** Finds the positions of all values of a file that `readYaml` accepts. A missing value has the position after its key. */
export function yamlTree(source: string): YamlNode {
  const top: YamlNode = { kind: 'list', flow: false, start: 0, end: 0, parent: undefined, children: [], keys: [] };
  let open = top;
  /** The end of what was read last. */
  let last = 0;
  const add = (kind: YamlNode['kind'], flow: boolean, start: number): YamlNode => {
    const node: YamlNode = { kind, flow, start, end: start, parent: open, children: [], keys: [] };
    open.children.push(node);
    return node;
  };
  for (const event of parseEvents(source, { maxDepth: 50 })) {
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      open = add(event.type === EVENT_ID.MAPPING ? 'map' : 'list', event.style === COLLECTION_STYLE.FLOW, event.start);
      last = event.start + (open.flow ? 1 : 0);
    } else if (event.type === EVENT_ID.POP && open.parent !== undefined) {
      if (open.flow) last = closingBracket(source, last) + 1;
      open.end = last;
      open = open.parent;
    } else if (event.type === EVENT_ID.SCALAR) {
      const { start, end } = placeOf(event, last, source);
      if (open.kind === 'map' && open.keys.length === open.children.length) {
        open.keys.push({ name: getScalarValue(source, event), start, end });
        last = behindColon(source, end);
      } else {
        const scalar = add('scalar', true, start);
        scalar.end = end;
        last = end;
      }
    }
  }
  return top.children[0]!;
}

function placeOf(
  { valueStart, valueEnd, style }: ScalarEvent,
  last: number,
  source: string,
): { start: number; end: number } {
  if (valueStart < 0) return { start: last, end: last };
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return { start: valueStart - 1, end: valueEnd + 1 };
  if (style === SCALAR_STYLE.PLAIN) return { start: valueStart, end: valueEnd };
  // A block begins with its `|` or `>`; its last line end belongs to the layout.
  return { start: behindBlank(source, last), end: source[valueEnd - 1] === '\n' ? valueEnd - 1 : valueEnd };
}

function behindColon(source: string, end: number): number {
  const colon = behindBlank(source, end);
  return source[colon] === ':' ? colon + 1 : end;
}

function closingBracket(source: string, from: number): number {
  let at = behindBlank(source, from);
  while (source[at] === ',') at = behindBlank(source, at + 1);
  return at;
}

/** The first position from `from` on that is neither blank nor in a comment. */
export function behindBlank(source: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < source.length && ' \t\r\n'.includes(source[at]!)) at++;
    if (source[at] !== '#') return at;
    at = endOfLine(source, at);
  }
}

/** The position of the next line end. */
export function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end < 0 ? source.length : end;
}

export function startOfLine(source: string, at: number): number {
  return source.lastIndexOf('\n', at - 1) + 1;
}

/** The value at a key path of names and indexes. */
export function nodeAt(root: YamlNode, path: readonly (string | number)[]): YamlNode | undefined {
  return path.reduce<YamlNode | undefined>(
    (node, name) =>
      node === undefined
        ? undefined
        : node.children[typeof name === 'number' ? name : node.keys.findIndex((key) => key.name === name)],
    root,
  );
}
