import { gzipSync } from 'node:zlib';
import { pdf } from './pdf.ts';
import { lines, sample, type Sample } from './sample.ts';
import { wav, type Note } from './wav.ts';

/** What a team keeps: notes, tables, code, a PDF, a recording, and names that break careless software. */
export function documents(): readonly Sample[] {
  return [...notes(), ...awkwardNames(), ...code(), ...media(), ...confidential()];
}

function notes(): readonly Sample[] {
  const agenda = lines(
    '# Week 47',
    '',
    '- [x] move the archive to the second storage server',
    '- [ ] invite the partners',
    '- [ ] **write down** who may do what',
  );
  return [
    sample(
      'README.md',
      'text/markdown',
      lines('# Team files', '', 'Sample data of the demo. Change what you like: it is made anew at the next start.'),
    ),
    sample('notes/week 47.md', 'text/markdown', agenda),
    sample('notes/todo.txt', 'text/plain; charset=utf-8', lines('milk', 'bread', 'least privilege')),
    sample('reports/sales 2025.csv', 'text/csv', sales()),
    sample(
      'reports/regions.tsv',
      'text/tab-separated-values',
      lines('region\thead', 'north\tÅsa', 'south\tJosé', 'east\tŁukasz', 'west\t"O\'Neil, Pat"'),
    ),
    sample('reports/annual report.pdf', 'application/pdf', annualReport()),
    sample('reports/empty.txt', 'text/plain', ''),
    sample('inbox/', 'application/x-directory', ''),
    sample('inbox/from a partner.txt', 'text/plain; charset=utf-8', lines('Hello from the other side.')),
    sample(
      `${Array.from({ length: 12 }, (_, i) => `level ${i + 1}`).join('/')}/bottom.txt`,
      'text/plain',
      lines('You walked all the way down.'),
    ),
  ];
}

function awkwardNames(): readonly Sample[] {
  const names = [
    '100% done.txt',
    '%2Fnot-a-folder.txt',
    'a+b=c.txt',
    'question? yes!.txt',
    'section #4.txt',
    'rock & roll; "quoted" \'single\'.txt',
    'back\\slash.txt',
    'Grüße aus Köln.txt',
    'naïve café (1).txt',
    '日本語のファイル.txt',
    'שלום.txt',
    '🎂 cake 🎉.txt',
    'metadata',
    'presign',
    'object',
    'UPPER.TXT',
    'upper.txt',
    '.hidden',
    'no extension',
    `a very long name ${'that goes on '.repeat(12)}.txt`,
  ];
  return names.map((name) =>
    sample(`names/${name}`, 'text/plain; charset=utf-8', lines(`This object is called: ${name}`)),
  );
}

function code(): readonly Sample[] {
  return [
    sample(
      'code/hello.ts',
      'text/plain',
      lines('export function hello(name: string): string {', '  return `Hello, ${name}!`;', '}'),
    ),
    sample(
      'code/hello.py',
      'text/x-python',
      lines('def hello(name: str) -> str:', '    """Greets."""', '    return f"Hello, {name}!"'),
    ),
    sample('code/hello.sh', 'application/x-sh', lines('#!/bin/sh', 'echo "Hello, ${1:-world}!"')),
    sample(
      'code/package.json',
      'application/json',
      lines(JSON.stringify({ name: 'hello', version: '1.0.0', private: true }, null, 2)),
    ),
    sample('code/deploy.yaml', 'application/yaml', lines('service: hello', 'replicas: 2', 'ports:', '  - 8080')),
    sample(
      'code/page.html',
      'text/html',
      lines(
        '<!doctype html>',
        '<title>Not run here</title>',
        '<script>document.title = "this script ran"</script>',
        '<p>A stored page is never run in the origin of the service.</p>',
      ),
    ),
  ];
}

function media(): readonly Sample[] {
  return [
    sample('media/jingle.wav', 'audio/wav', wav(JINGLE)),
    sample('media/server.log', 'text/plain', serverLog()),
    sample('media/server.log.gz', 'application/gzip', gzipSync(serverLog())),
  ];
}

function confidential(): readonly Sample[] {
  return [
    sample('hr/salaries.csv', 'text/csv', lines('name,salary', 'Ada,1', 'Erik,2')),
    sample('hr/reviews/2025.txt', 'text/plain', lines('Everyone did well.')),
    sample('projects/apollo/plan.md', 'text/markdown', lines('# Apollo', '', 'Ship the demo.')),
    sample('projects/apollo/secret plan.md', 'text/markdown', lines('# Apollo, really', '', 'Ship it earlier.')),
  ];
}

const JINGLE: readonly Note[] = [523.25, 659.25, 783.99, 1046.5, 0, 783.99, 1046.5].map((hertz, i) => ({
  hertz,
  seconds: i === 6 ? 0.8 : 0.22,
}));

function sales(): string {
  const regions = ['north', 'south', 'east', 'west'];
  const products = ['Kettle', 'Lamp, large', 'Café table', 'Rug "Oslo"'];
  const field = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = Array.from({ length: 480 }, (_, i) => {
    const day = new Date(Date.UTC(2025, 0, 1) + Math.floor((i * 365) / 480) * 86_400_000).toISOString().slice(0, 10);
    const units = ((i * 37) % 23) + 1;
    return [
      day,
      regions[i % 4]!,
      field(products[(i * 7) % 4]!),
      String(units),
      (units * (19.9 + (i % 5) * 10)).toFixed(2),
    ].join(',');
  });
  return lines('date,region,product,units,revenue', ...rows);
}

function annualReport(): Buffer {
  return pdf([
    {
      heading: 'Annual report 2025',
      lines: ['Sample document of the svc demo.', '', 'Storage grew. Questions about it did not.', 'Page 1 of 2'],
    },
    { heading: 'Outlook', lines: ['More of the same, with fewer surprises (and no wildcards).', 'Page 2 of 2'] },
  ]);
}

function serverLog(): string {
  const levels = ['info', 'info', 'info', 'warn', 'debug'];
  const start = Date.UTC(2025, 10, 1, 6);
  return lines(
    ...Array.from(
      { length: 2_500 },
      (_, i) =>
        `${new Date(start + i * 1_731).toISOString()} ${levels[i % 5]!.padEnd(5)} request ${i} took ${(i * 17) % 230} ms`,
    ),
  );
}
