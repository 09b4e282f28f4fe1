import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Columns, Row, RowForm } from '../../src/xml/alike.ts';
import { XmlFault, xmlText } from '../../src/xml/text.ts';
import { readXml, XmlReader, type XmlAnswer } from '../../src/xml/xml.ts';
import { heldBytes } from '../support/held-bytes.ts';
import { workedMs } from '../support/worked.ts';

const texts = fc
  .oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('', '&', '<', ']]>', '"', ' a ', '&amp;', 'ä😀', '\r\n', '__proto__'),
  )
  .map((text) => text.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ''));
const names = fc.constantFrom('Key', 'Size', 'ETag', 'Owner', 'constructor');
const within = fc.option(fc.dictionary(names, texts, { minKeys: 1, maxKeys: 2 }), { nil: undefined });
const records = fc
  .array(
    fc.oneof(
      fc.array(
        fc.record({
          name: fc.constantFrom('Contents', 'CommonPrefixes', 'Part'),
          fields: fc.dictionary(names, texts, { minKeys: 1, maxKeys: 4 }),
          /** Children of a child, as the owner of a version has. */
          within,
        }),
        { minLength: 1, maxLength: 3 },
      ),
      // Several of one form.
      fc
        .record({
          count: fc.integer({ min: 1, max: 5 }),
          fields: fc.record(
            {
              Key: fc.constantFrom('a', 'b $1'),
              ETag: fc.constantFrom('e', '"', 'ä'),
              Owner: fc.constantFrom('c', ''),
            },
            { requiredKeys: ['Key', 'Owner'] },
          ) as fc.Arbitrary<Record<string, string>>,
          within,
        })
        .map(({ count, ...record }) => Array.from({ length: count }, () => ({ name: 'Contents', ...record }))),
    ),
    { maxLength: 6 },
  )
  .map((several) => several.flat());

const PATTERN = /([ -%'-;=?-~]*)/;
/** Rows of `Contents` with plain texts are lines. */
const COLUMNS: Columns = new Map<string, RowForm>([
  [
    'Contents',
    {
      columns: ['Key', 'Owner', 'ETag'],
      line: {
        patterns: new Map(['Key', 'Owner', 'ETag'].map((name) => [name, PATTERN])),
        optional: 'ETag',
        write: ({ Key, Owner, ETag }) => `${Key}\n${Owner}\n${ETag ?? '-'}`,
      },
    },
  ],
  ['Part', { columns: ['Size'] }],
]);

/** The texts of a row in the order of its columns. */
function textsOf(row: Row): readonly (string | undefined)[] {
  if (typeof row !== 'string') return row.at.map((i) => row.texts[i]);
  const [key, owner, etag] = row.split('\n');
  return [key, owner, etag === '-' ? undefined : etag];
}

const readWhole = (xml: string): XmlAnswer => readPieces(xml, []);

/** Reads a text in pieces that are cut at these places. */
function readPieces(xml: string, cuts: readonly number[], columns?: Columns): XmlAnswer {
  const reader = new XmlReader({ columns });
  const places = [0, ...cuts.map((cut) => cut % (xml.length + 1)).sort((a, b) => a - b), xml.length];
  for (const [i, place] of places.slice(1).entries()) reader.push(xml.slice(places[i], place));
  return reader.end();
}

describe('an XmlReader', () => {
  it('reads every text of every record, however it is written', () => {
    let lines = 0;
    // Only elements without them are read as alike.
    const rarely = fc.constantFrom(false, false, false, true);
    const style = fc.record({
      indented: fc.boolean(),
      prefix: fc.constantFrom('', 's3:'),
      comments: rarely,
      sections: rarely,
      attributes: rarely,
    });
    fc.assert(
      fc.property(
        records,
        fc.dictionary(fc.constantFrom('IsTruncated', 'Name'), texts),
        style,
        fc.array(fc.nat(2_000), { maxLength: 8 }),
        (items, fields, { indented, prefix, comments, sections, attributes }, cuts) => {
          const blank = (indented ? '\n  ' : '') + (comments ? '<!-- <Key>none</Key> -->' : '');
          const written = (text: string): string =>
            sections && text !== '' && !text.includes(']]>') ? `<![CDATA[${text}]]>` : xmlText(text);
          const element = (name: string, inner: string): string =>
            `${blank}<${prefix}${name}${attributes ? ' a="b"' : ''}>${inner}</${prefix}${name}>`;
          const children = (all: Record<string, string>): string =>
            Object.entries(all)
              .map(([name, text]) => element(name, written(text)))
              .join('');
          const xml = `<?xml version="1.0" encoding="UTF-8"?>${element('ListBucketResult', children(fields) + items.map(({ name, fields: of, within }) => element(name, children(of) + (within === undefined ? '' : element('Within', children(within))) + (indented ? '\n' : ''))).join(''))}\n`;
          const read = {
            root: 'ListBucketResult',
            fields: { ...fields },
            items: items.flatMap(({ name, fields: of, within }) => [
              ...(within === undefined ? [] : [{ name: 'Within', fields: { ...within } }]),
              { name, fields: { ...of } },
            ]),
            rows: [],
          };
          expect(readWhole(xml)).toEqual(read);
          expect(readPieces(xml, cuts)).toEqual(read);
          const { items: others, rows } = readPieces(xml, cuts, COLUMNS);
          const columned = (name: string): boolean => COLUMNS.has(name);
          expect(others).toEqual(
            items.flatMap(({ name, fields: of, within }) =>
              columned(name)
                ? []
                : [
                    ...(within === undefined ? [] : [{ name: 'Within', fields: { ...within } }]),
                    { name, fields: { ...of } },
                  ],
            ),
          );
          lines += rows.filter((row) => typeof row === 'string').length;
          expect(rows.map((row) => [typeof row === 'string' ? 'Contents' : row.name, ...textsOf(row)])).toEqual(
            items.flatMap(({ name, fields: of }) =>
              columned(name)
                ? [
                    [
                      name,
                      ...COLUMNS.get(name)!.columns.map((column) =>
                        Object.hasOwn(of, column) ? of[column] : undefined,
                      ),
                    ],
                  ]
                : [],
            ),
          );
        },
      ),
      { numRuns: 300 },
    );
    expect(lines).toBeGreaterThan(30);
  });

  it('reads a long list of versions and deletions with their owners, each with its own texts', () => {
    const wanted = Array.from({ length: 300 }, (_, i) => ({
      name: i % 3 === 0 ? 'DeleteMarker' : 'Version',
      fields: i % 3 === 0 ? { Key: `a${i}` } : { Key: `a${i}`, Size: `${i}` },
      owner: { ID: `id ${i}`, DisplayName: i === 200 ? '' : `<${i}>` },
    }));
    const inner = (fields: Record<string, string>) =>
      Object.entries(fields)
        .map(([name, text]) => `<${name}>${xmlText(text)}</${name}>`)
        .join('');
    const xml = wanted.map(
      ({ name, fields, owner }) => `<${name}>${inner(fields)}<Owner>${inner(owner)}</Owner><End>x</End></${name}>`,
    );
    expect(readWhole(`<ListVersionsResult>${xml.join('')}</ListVersionsResult>`).items).toEqual(
      wanted.flatMap(({ name, fields, owner }) => [
        { name: 'Owner', fields: owner },
        { name, fields: { ...fields, End: 'x' } },
      ]),
    );
  });

  it('gives what lies deeper as records of its own', () => {
    const xml =
      '<ListAllMyBucketsResult><Owner><ID>me</ID></Owner><Buckets><Bucket><Name>a</Name></Bucket><Bucket><Name>b</Name></Bucket></Buckets></ListAllMyBucketsResult>';
    expect(readWhole(xml).items).toEqual([
      { name: 'Owner', fields: { ID: 'me' } },
      { name: 'Bucket', fields: { Name: 'a' } },
      { name: 'Bucket', fields: { Name: 'b' } },
    ]);
    expect(
      readWhole('<R><Contents><Key>k</Key><Owner><ID>me</ID></Owner><Size>1</Size></Contents><Empty/></R>'),
    ).toEqual({
      root: 'R',
      fields: { Empty: '' },
      items: [
        { name: 'Owner', fields: { ID: 'me' } },
        { name: 'Contents', fields: { Key: 'k', Size: '1' } },
      ],
      rows: [],
    });
    expect(readWhole('<DeleteResult/>')).toEqual({ root: 'DeleteResult', fields: {}, items: [], rows: [] });
    expect(readWhole('\uFEFF \n<R></R>')).toEqual({ root: 'R', fields: {}, items: [], rows: [] });
  });

  it.each(['a.b', 'a(b', 'a*', 'a|b'])('takes the name `%s` for nothing but a name', (name) => {
    expect(
      readWhole(`<R>${[name, 'axb', name, 'a'].map((each) => `<${each}><${name}>1</${name}></${each}>`).join('')}</R>`)
        .items,
    ).toEqual([name, 'axb', name, 'a'].map((each) => ({ name: each, fields: { [name]: '1' } })));
  });

  it('reads the entities of XML, and characters by number', () => {
    expect(readWhole('<R><Key>&quot;&amp;&lt;&gt;&apos; &#65;&#x1F600;&#x1f600; &amp;amp;</Key></R>').fields).toEqual({
      Key: '"&<>\' A\u{1f600}\u{1f600} &amp;',
    });
  });

  it('joins the pieces of a text, without the comments and instructions between them', () => {
    expect(
      readWhole('<R><Key>a&amp;<![CDATA[<b>&amp;]]>c&lt;<!-- &no; <d> --><?e f?>g<![CDATA[h]]></Key></R>').fields,
    ).toEqual({ Key: 'a&<b>&amp;c<gh' });
  });

  it.each(['</Key >', '</Key\n>'])('reads a text that ends with %j', (end) => {
    const xml = `<R><A><Key>a</Key></A><A><Key>b${end}<Id>c</Id></A><Key>d${end}</R >`;
    const every = Array.from({ length: xml.length }, (_, i) => i);
    const read = readWhole(xml);
    expect(read.items.map(({ fields }) => fields)).toEqual([{ Key: 'a' }, { Key: 'b', Id: 'c' }]);
    expect(read.fields).toEqual({ Key: 'd' });
    expect(readPieces(xml, every)).toEqual(read);
  });

  it('reads a text whose tag has attributes', () => {
    expect(readWhole(`<R a="'" b='"/'><Key c="" d='"'>k</Key><Id e='/'/></R>`).fields).toEqual({ Key: 'k', Id: '' });
  });

  it('leaves out items of some names, and nothing else', () => {
    const entry = (i: number) => `<Version><Key>a${i}</Key><Owner><ID>me</ID></Owner><Size>${i}</Size></Version>`;
    const reader = new XmlReader({ leaveOut: ['Owner'] });
    reader.push(`<R>${Array.from({ length: 9 }, (_, i) => entry(i)).join('')}<Owner><ID>me</ID></Owner></R>`);
    expect(reader.end().items).toEqual(
      Array.from({ length: 9 }, (_, i) => ({ name: 'Version', fields: { Key: `a${i}`, Size: String(i) } })),
    );
  });

  it('gives long lists in columns, and in lines where all texts match their patterns', () => {
    const etags = [
      '&quot;a&quot;',
      '&#34;b&#34;',
      'c',
      '&quot;&amp;&quot;',
      '&quot;a&quot;',
      '"d"',
      '&quot;a\\&quot;',
      '',
      '&quot;é&quot;',
      '&quot;$1\x01&quot;',
    ];
    const list = Array.from({ length: 1_000 }, (_, i) => etags[Math.floor(i / 100)]!);
    const form = {
      columns: ['ETag', 'None', 'Key'],
      line: {
        patterns: new Map([
          ['ETag', /(?:&quot;|&#34;)(\w*)(?:&quot;|&#34;)/],
          ['Key', /(k\d+)/],
        ]),
        optional: 'None',
        write: ({ Key, ETag, None = 'none' }: Record<string, string>) => `${Key} ${ETag} ${None}`,
      },
    };
    const xml = `<R>${list.map((etag, i) => `<Contents><Key>k${i}</Key><ETag>${etag}</ETag><Owner><ID>x</ID></Owner></Contents>`).join('')}</R>`;
    const texts = list.map((etag) => etag.replaceAll(/&(?:quot|#34);/g, '"').replace('&amp;', '&'));
    const rowsIn = (columns: RowForm) => {
      const reader = new XmlReader({ columns: new Map([['Contents', columns]]) });
      reader.push(xml);
      const { items, rows } = reader.end();
      expect(items).toEqual([]);
      return rows;
    };
    const rows = rowsIn(form);
    expect(rows.map((row) => (typeof row === 'string' ? row : row.at.map((i) => row.texts[i])))).toEqual(
      rows.map((row, i) =>
        typeof row !== 'string' ? [texts[i], undefined, `k${i}`] : `k${i} ${/\w+/.exec(texts[i]!)![0]} none`,
      ),
    );
    // The first of its form is read tag by tag. After one that is no line, others are read in the same way.
    expect(rows.slice(1, 200).filter((row) => typeof row !== 'string').length).toBeLessThan(3);
    expect(
      rows
        .slice(200, 400)
        .concat(rows.slice(500))
        .every((row) => typeof row !== 'string'),
    ).toBe(true);
    // What a line needs is not there.
    expect(rowsIn({ ...form, line: { ...form.line, optional: 'ETag' } }).every((row) => typeof row !== 'string')).toBe(
      true,
    );
  });

  it('reads an element to its end, whether blanks end its last tag or its text comes in pieces', () => {
    const xml = '<R><Item><Key>a</Key></Item><Item><Key>b</Key></Item><Item><Key>c</Key></Item ></R>';
    const items = ['a', 'b', 'c'].map((Key) => ({ name: 'Item', fields: { Key } }));
    for (let cut = 0; cut < xml.length; cut += 1) expect(readPieces(xml, [cut]).items).toEqual(items);
  });

  it('reads a text like the last one with the same columns without its first element tag by tag', () => {
    const form = { columns: ['Key'], line: { patterns: new Map([['Key', /(\w+)/]]), write: () => 'a line' } };
    const columns = new Map([['Contents', form]]);
    const rowsOf = (entry: string): readonly Row[] => {
      const reader = new XmlReader({ columns });
      reader.push(`<R>${entry.repeat(2)}</R>`);
      return reader.end().rows.map((row) => (typeof row === 'string' ? row : row.texts[row.at[0]!]!));
    };
    expect(rowsOf('<Contents><Key>k</Key></Contents>')).toEqual(['k', 'a line']);
    expect(rowsOf('<Contents><Key>k</Key></Contents>')).toEqual(['a line', 'a line']);
    expect(rowsOf('<Contents><Size>1</Size><Key>&lt;</Key></Contents>')).toEqual(['<', '<']);
    expect(rowsOf('<Contents><Key>k</Key></Contents>')).toEqual(['a line', 'a line']);
    // An element that is no line does not keep those of the next text from being lines.
    expect(rowsOf('<Contents><Key>&lt;</Key></Contents>')).toEqual(['<', '<']);
    expect(rowsOf('<Contents><Key>k</Key></Contents>')).toEqual(['a line', 'a line']);
  });

  it('takes nothing that storage sends for the end of a line', () => {
    const entry = (key: string) => `<Contents><Key>${key}</Key></Contents>`;
    const form = {
      columns: ['Key'],
      line: { patterns: new Map([['Key', /(\w+)/]]), write: ({ Key }: Record<string, string>) => `${Key}` },
    };
    const reader = new XmlReader({ columns: new Map([['Contents', form]]) });
    reader.push(`<R>${['a', 'b', 'c', 'x\x01forged\x01', 'd', 'e'].map(entry).join('')}</R>`);
    expect(reader.end().rows.map((row) => (typeof row === 'string' ? row : row.texts[row.at[0]!]))).toEqual([
      'a',
      'b',
      'c',
      'x\x01forged\x01',
      'd',
      'e',
    ]);
  });

  it('gives nothing within a row, wherever the text is cut', () => {
    const inner = '<Contents><Key>inner</Key><Owner>x</Owner></Contents><By><Name>me</Name></By>';
    const xml = `<R>${`<Contents><Key>outer</Key>${inner.repeat(3)}<Owner>y</Owner></Contents>`.repeat(3)}<By><Name>me</Name></By></R>`;
    for (const cuts of [[], ...Array.from({ length: xml.length }, (_, i) => [i])]) {
      const { items, rows } = readPieces(xml, cuts, COLUMNS);
      expect(items).toEqual([{ name: 'By', fields: { Name: 'me' } }]);
      expect(rows.map(textsOf)).toEqual(Array(3).fill(['outer', 'y', undefined]));
    }
  });

  it('gives a row within another element, wherever the text is cut', () => {
    const xml = `<R>${'<Group><Name>g</Name><Part><Size>1</Size></Part></Group>'.repeat(3)}</R>`;
    for (const cuts of [[], ...Array.from({ length: xml.length }, (_, i) => [i])]) {
      const { items, rows } = readPieces(xml, cuts, COLUMNS);
      expect(items).toEqual(Array(3).fill({ name: 'Group', fields: { Name: 'g' } }));
      expect(rows).toHaveLength(3);
    }
  });

  it('holds little more than the text of a list whose elements take turns', () => {
    const form = {
      columns: ['Key'],
      line: { patterns: new Map([['Key', /(\w+)/]]), write: ({ Key }: Record<string, string>) => `a key: ${Key}` },
    };
    const names = ['Version', 'DeleteMarker'];
    const reader = new XmlReader({ columns: new Map(names.map((name) => [name, form])) });
    const entry = (i: number) =>
      `<${names[i % 2]!}><Key>key${i}</Key><More>${'x'.repeat(200)}</More></${names[i % 2]!}>`;
    const before = heldBytes();
    reader.push('<R>');
    for (let i = 0; i < 20_000; i += 200) reader.push(Array.from({ length: 200 }, (_, at) => entry(i + at)).join(''));
    reader.push('</R>');
    const { rows } = reader.end();
    // The text has 5 MB.
    expect(heldBytes() - before).toBeLessThan(20e6);
    expect(rows.filter((row) => typeof row === 'string').length).toBeGreaterThan(19_000);
  });

  it('is read in single characters, and refuses the same', () => {
    const xml = '<?xml version="1.0"?><!-- x --><R a="1"><A><B>&amp;<![CDATA[<]]></B><C/></A></R>\n';
    const every = Array.from({ length: xml.length }, (_, i) => i);
    expect(readPieces(xml, every)).toEqual(readWhole(xml));
    expect(readWhole(xml).items).toEqual([{ name: 'A', fields: { B: '&<', C: '' } }]);
    for (let end = 0; end < xml.indexOf('</R>') + 4; end += 1)
      expect(() => readPieces(xml.slice(0, end), every.slice(0, end))).toThrow(XmlFault);
  });

  it('refuses a text in pieces that never ends, after a bounded number of them', () => {
    const reader = new XmlReader();
    reader.push('<R><A>');
    expect(() => {
      for (let i = 0; i < 1_000; i += 1) reader.push('x'.repeat(1_024));
    }).toThrow(XmlFault);
  });

  it.each([
    ['nothing', ''],
    ['no XML', '{"a": 1}'],
    ['what is cut off', '<R><Contents><Key>k</Key>'],
    ['what is cut off in a tag', '<R><Contents><Key>k</Ke'],
    ['tags that are crossed', '<R><A><B>x</A></B></R>'],
    ['two roots', '<R></R><S></S>'],
    ['a record behind the root', '<R><A><B>x</B></A></R><A><B>y</B></A>'],
    ['an entity of its own', '<R><A>&bomb;</A></R>'],
    ['a character that is none', '<R><A>&#x110000;</A></R>'],
    ['an entity without an end', '<R><A>&amp</A></R>'],
    ['an entity that ends as a text', '<R><A>&ampx</A></R>'],
    ['a document type with entities', '<!DOCTYPE R [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><R><A>&b;</A></R>'],
    ['a comment without an end', '<R><!-- <A>x</A></R>'],
    ['a tag without a name', '<R><>x</></R>'],
    ['an attribute that contains `>`', '<R><Key a=">">k</Key></R>'],
    ['an attribute that contains elements', `<R><Key>a</Key><x a='' b='/><Key>b</Key>'/></R>`],
    ['more elements than any answer has', `<R>${'<A/>'.repeat(100_001)}</R>`],
    ['more records than any answer has', `<R>${'<A><B>x</B></A>'.repeat(100_001)}</R>`],
    [
      'more names in an element than any answer has',
      `<R>${Array.from({ length: 1_000 }, (_, i) => `<A${i}/>`).join('')}</R>`,
    ],
    ['elements without end of depth', '<a>'.repeat(100) + '</a>'.repeat(100)],
  ])('refuses %s', (_what, xml) => {
    expect(() => readWhole(xml)).toThrow(XmlFault);
  });

  it('takes an element that has the same name very often', () => {
    expect(readWhole(`<R>${'<A>x</A>'.repeat(1_000)}</R>`).fields).toEqual({ A: 'x' });
  });

  it('reads no further than as many elements as its reader allows', async () => {
    const xml = `<R>${'<A><B>x</B></A>'.repeat(10_000)}`;
    await expect(readXml(`${xml}</R>`, 9_999)).rejects.toThrow('it has too many elements');
    await expect(readXml(`${xml}</R>`, 10_000)).resolves.toMatchObject({ root: 'R' });
    await expect(readXml(`${xml.repeat(2)}</X>`, 10_000)).rejects.toThrow('it has too many elements');
  });

  it('takes linear time for the worst 4 MiB', () => {
    const parts = ['<a/>', '<a>', '<a><b>&amp;</b></a>', '<a x="', '<!--x-->', '<![CDATA[x]]>', '&amp;'];
    for (const part of parts) {
      const xml = `<R>${part.repeat(4_194_304 / part.length)}</R>`;
      const since = workedMs();
      try {
        readWhole(xml);
      } catch (error) {
        expect(error).toBeInstanceOf(XmlFault);
      }
      expect(workedMs() - since).toBeLessThan(10_000);
    }
  });
});

it('a text whose every element has another shape takes no longer than others', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => `<a><b${i}/></a>`).join('');
  const alike = '<a><b0/></a>'.repeat(20_000);
  const timed = (xml: string): number => {
    const begun = performance.now();
    readWhole(`<root>${xml}</root>`);
    return performance.now() - begun;
  };
  timed(alike);
  // A pattern for each of them took a hundred times as long.
  expect(timed(many)).toBeLessThan(20 * Math.max(20, timed(alike)));
});

it.each(['<??>', '<!---->', '&lt;'])('lets others work while it reads 2 MiB of %s', async (part) => {
  let turns = 0;
  const read = readXml(`<root>${`<a>${part.repeat(10_000)}</a>`.repeat(2_097_152 / part.length / 10_000)}</root>`);
  let isRead = false as boolean;
  void read.then(() => (isRead = true));
  for (; !isRead; turns += 1) await turn();
  expect(turns).toBeGreaterThan(20);
});
