import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Columns } from '../../src/xml/alike.ts';
import { XmlFault, xmlText } from '../../src/xml/text.ts';
import { readXml, XmlReader, type XmlAnswer } from '../../src/xml/xml.ts';
import { workedMs } from '../support/worked.ts';

const texts = fc
  .oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('', '&', '<', ']]>', '"', ' a ', '&amp;', 'ä😀', '\r\n', '__proto__'),
  )
  .map((text) => text.replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ''));
const names = fc.constantFrom('Key', 'Size', 'ETag', 'Owner', 'constructor');
const records = fc.array(
  fc.record({
    name: fc.constantFrom('Contents', 'CommonPrefixes', 'Part'),
    fields: fc.dictionary(names, texts, { minKeys: 1, maxKeys: 4 }),
    /** Children of a child, as the owner of a version has. */
    within: fc.option(fc.dictionary(names, texts, { minKeys: 1, maxKeys: 2 }), { nil: undefined }),
  }),
  { maxLength: 12 },
);

const COLUMNS: Columns = new Map([
  ['Contents', ['Key', 'Owner', 'ETag']],
  ['Part', ['Size']],
]);

/** Reads a text in pieces that are cut at these places. */
function readPieces(xml: string, cuts: readonly number[], columns?: Columns): XmlAnswer {
  const reader = new XmlReader({ columns });
  const places = [0, ...cuts.map((cut) => cut % (xml.length + 1)).sort((a, b) => a - b), xml.length];
  for (const [i, place] of places.slice(1).entries()) reader.push(xml.slice(places[i], place));
  return reader.end();
}

describe('readXml', () => {
  it('reads every text of every record, however it is written', () => {
    const style = fc.record({
      indented: fc.boolean(),
      prefix: fc.constantFrom('', 's3:'),
      comments: fc.boolean(),
      sections: fc.boolean(),
      attributes: fc.boolean(),
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
          expect(readXml(xml)).toEqual(read);
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
          expect(rows.map(({ name, texts, at }) => [name, ...at.map((i) => texts[i])])).toEqual(
            items.flatMap(({ name, fields: of }) =>
              columned(name)
                ? [[name, ...COLUMNS.get(name)!.map((column) => (Object.hasOwn(of, column) ? of[column] : undefined))]]
                : [],
            ),
          );
          for (const { texts, at, isPlain } of rows)
            if (isPlain)
              for (const i of at) expect(texts[i] ?? '').toMatch(/^(?:"[ !#-%'-;=?-[\]-~]*"|[ !#-%'-;=?-[\]-~]*)$/);
        },
      ),
      { numRuns: 300 },
    );
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
    expect(readXml(`<ListVersionsResult>${xml.join('')}</ListVersionsResult>`).items).toEqual(
      wanted.flatMap(({ name, fields, owner }) => [
        { name: 'Owner', fields: owner },
        { name, fields: { ...fields, End: 'x' } },
      ]),
    );
  });

  it('gives what lies deeper as records of its own', () => {
    const xml =
      '<ListAllMyBucketsResult><Owner><ID>me</ID></Owner><Buckets><Bucket><Name>a</Name></Bucket><Bucket><Name>b</Name></Bucket></Buckets></ListAllMyBucketsResult>';
    expect(readXml(xml).items).toEqual([
      { name: 'Owner', fields: { ID: 'me' } },
      { name: 'Bucket', fields: { Name: 'a' } },
      { name: 'Bucket', fields: { Name: 'b' } },
    ]);
    expect(readXml('<R><Contents><Key>k</Key><Owner><ID>me</ID></Owner><Size>1</Size></Contents><Empty/></R>')).toEqual(
      {
        root: 'R',
        fields: { Empty: '' },
        items: [
          { name: 'Owner', fields: { ID: 'me' } },
          { name: 'Contents', fields: { Key: 'k', Size: '1' } },
        ],
        rows: [],
      },
    );
    expect(readXml('<DeleteResult/>')).toEqual({ root: 'DeleteResult', fields: {}, items: [], rows: [] });
    expect(readXml('\uFEFF \n<R></R>')).toEqual({ root: 'R', fields: {}, items: [], rows: [] });
  });

  it.each(['a.b', 'a(b', 'a*', 'a|b'])('takes the name `%s` for nothing but a name', (name) => {
    expect(
      readXml(`<R>${[name, 'axb', name, 'a'].map((each) => `<${each}><${name}>1</${name}></${each}>`).join('')}</R>`)
        .items,
    ).toEqual([name, 'axb', name, 'a'].map((each) => ({ name: each, fields: { [name]: '1' } })));
  });

  it('reads the entities of XML, and characters by number', () => {
    expect(readXml('<R><Key>&quot;&amp;&lt;&gt;&apos; &#65;&#x1F600;&#x1f600; &amp;amp;</Key></R>').fields).toEqual({
      Key: '"&<>\' A\u{1f600}\u{1f600} &amp;',
    });
  });

  it('joins the pieces of a text, without the comments and instructions between them', () => {
    expect(
      readXml('<R><Key>a&amp;<![CDATA[<b>&amp;]]>c&lt;<!-- &no; <d> --><?e f?>g<![CDATA[h]]></Key></R>').fields,
    ).toEqual({ Key: 'a&<b>&amp;c<gh' });
  });

  it('leaves out items of some names, and nothing else', () => {
    const entry = (i: number) => `<Version><Key>a${i}</Key><Owner><ID>me</ID></Owner><Size>${i}</Size></Version>`;
    const reader = new XmlReader({ leaveOut: ['Owner'] });
    reader.push(`<R>${Array.from({ length: 9 }, (_, i) => entry(i)).join('')}<Owner><ID>me</ID></Owner></R>`);
    expect(reader.end().items).toEqual(
      Array.from({ length: 9 }, (_, i) => ({ name: 'Version', fields: { Key: `a${i}`, Size: String(i) } })),
    );
  });

  it('gives long lists in columns, and says which rows are plain', () => {
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
    ];
    const list = Array.from({ length: 90 }, (_, i) => etags[Math.floor(i / 10)]!);
    const reader = new XmlReader({ columns: new Map([['Contents', ['ETag', 'None', 'Key']]]) });
    reader.push(
      `<R>${list.map((etag, i) => `<Contents><Key>k${i}</Key><ETag>${etag}</ETag><Owner><ID>x</ID></Owner></Contents>`).join('')}</R>`,
    );
    const { items, rows } = reader.end();
    expect(items).toEqual([]);
    expect(rows.map(({ texts, at }) => at.map((i) => texts[i]))).toEqual(
      list.map((etag, i) => [etag.replaceAll(/&(?:quot|#34);/g, '"').replace('&amp;', '&'), undefined, `k${i}`]),
    );
    // The first of its form is read tag by tag. After one that is not plain, others are read in the same way.
    expect(rows.slice(1, 30).filter(({ isPlain }) => !isPlain).length).toBeLessThan(3);
    expect(
      rows
        .slice(30, 40)
        .concat(rows.slice(50, 70), rows.slice(80))
        .some(({ isPlain }) => isPlain),
    ).toBe(false);
  });

  it('is read in single characters, and refuses the same', () => {
    const xml = '<?xml version="1.0"?><!-- x --><R a="1"><A><B>&amp;<![CDATA[<]]></B><C/></A></R>\n';
    const every = Array.from({ length: xml.length }, (_, i) => i);
    expect(readPieces(xml, every)).toEqual(readXml(xml));
    expect(readXml(xml).items).toEqual([{ name: 'A', fields: { B: '&<', C: '' } }]);
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
    ['more elements than any answer has', `<R>${'<A/>'.repeat(100_001)}</R>`],
    ['more records than any answer has', `<R>${'<A><B>x</B></A>'.repeat(100_001)}</R>`],
    ['elements without end of depth', '<a>'.repeat(100) + '</a>'.repeat(100)],
  ])('refuses %s', (_what, xml) => {
    expect(() => readXml(xml)).toThrow(XmlFault);
  });

  it('takes linear time for the worst 4 MiB', () => {
    const parts = ['<a/>', '<a>', '<a><b>&amp;</b></a>', '<a x="', '<!--x-->', '<![CDATA[x]]>', '&amp;'];
    for (const part of parts) {
      const xml = `<R>${part.repeat(4_194_304 / part.length)}</R>`;
      const since = workedMs();
      try {
        readXml(xml);
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
    readXml(`<root>${xml}</root>`);
    return performance.now() - begun;
  };
  timed(alike);
  // A pattern for each of them took a hundred times as long.
  expect(timed(many)).toBeLessThan(20 * Math.max(20, timed(alike)));
});
