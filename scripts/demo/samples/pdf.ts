/** One page: a heading and lines of text, in characters of Latin-1. */
export type Page = { readonly heading: string; readonly lines: readonly string[] };

/** Sets pages of A4 in Helvetica, as a PDF 1.4 file. */
export function pdf(pages: readonly Page[]): Buffer {
  const firstPage = 4;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${firstPage + i * 2} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((page, i) => {
      const text = textOf(page);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${firstPage + i * 2 + 1} 0 R >>`,
        `<< /Length ${Buffer.byteLength(text, 'latin1')} >>\nstream\n${text}\nendstream`,
      ];
    }),
  ];
  return withCrossReferences(objects);
}

function textOf({ heading, lines }: Page): string {
  const shown = lines.map((line) => `(${escape(line)}) Tj T*`).join('\n');
  return `BT /F1 24 Tf 72 760 Td (${escape(heading)}) Tj /F1 12 Tf 18 TL 0 -40 Td\n${shown}\nET`;
}

function escape(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}

function withCrossReferences(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
