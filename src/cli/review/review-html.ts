import type { ReviewRow } from './review-row.ts';

/** A self-contained page without scripts, fonts or pictures. It is written piece by piece. */
export class ReviewPage {
  #place: string | undefined;

  /** @param about - facts about the page, such as the file and the day. */
  head(about: Readonly<Record<string, string>>): string {
    const facts = Object.entries(about).map(
      ([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`,
    );
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Access review</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>Access review</h1>
<dl>${facts.join('')}</dl>
<p>Each line says what one rule gives to one group or person. A person may do what one of their lines gives, as long as none of their lines forbids it. Tick what is to become of each line; what is ticked goes into the columns <code>decision</code> and <code>narrow_to</code> of the CSV, by its id.</p>
</header>
<main>
`;
  }

  row(row: ReviewRow): string {
    const begins = row.place !== this.#place;
    const before = begins ? `${this.#close()}${section(row)}` : '';
    this.#place = row.place;
    const [who, may, by] = [escaped(row.who), escaped(row.may), escaped(row.by)];
    const source = [
      row.policy === '' ? '' : `policy <b>${escaped(row.policy)}</b>, ${escaped(row.rule)}`,
      row.policy_owner === '' ? '' : `owner ${escaped(row.policy_owner)}`,
      row.role === '' ? '' : `role ${escaped(row.role)}`,
      by,
    ];
    const choice =
      row.effect === 'deny'
        ? '<span class="note">a restriction</span>'
        : ['keep', 'remove', 'narrow to'].map((name) => `<span class="box">${name}</span>`).join('') +
          '<span class="line"></span>';
    return `${before}<tr class="${row.effect === 'deny' ? 'deny' : 'allow'}"><th scope="row">${who}${row.keys === '' ? '' : `<div class="by">${escaped(row.keys)}</div>`}</th><td>${may}</td><td class="by">${source.filter((part) => part !== '').join('<br>')}<br><code>${escaped(row.id)}</code></td><td class="decision">${choice}</td></tr>\n`;
  }

  end(): string {
    const nothing = this.#place === undefined ? '<p>Nobody may do anything.</p>\n' : '';
    return `${this.#close()}${nothing}</main>\n</body>\n</html>\n`;
  }

  #close(): string {
    return this.#place === undefined
      ? ''
      : '</tbody></table>\n<p class="sign"><span>Reviewed by</span><span>Date</span></p>\n</section>\n';
  }
}

function section({ place, owner }: ReviewRow): string {
  return `<section>
<h2>${escaped(place)}</h2>
<p class="owner">${owner === '' ? 'No owner is named' : `Owner: <b>${escaped(owner)}</b>`}</p>
<table><thead><tr><th scope="col">Who</th><th scope="col">May</th><th scope="col">By</th><th scope="col">Decision</th></tr></thead><tbody>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c2430, #e6e9ee); --soft: light-dark(#5a6472, #a5aebb); --rule: light-dark(#d9dee5, #3a424e); --paper: light-dark(#fff, #14181d); --head: light-dark(#f4f6f8, #1d232a); --deny: light-dark(#a3261c, #ff9d92); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2.5rem 1.5rem 4rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; letter-spacing: -0.02em; }
header p { max-width: 46rem; color: var(--soft); }
dl { display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin: 0; }
dt { color: var(--soft); font-size: 0.8rem; }
dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
section { margin-top: 2.75rem; }
h2 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; }
.owner { margin: 0 0 0.75rem; color: var(--soft); }
.owner b { color: var(--ink); }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
th, td { padding: 0.55rem 0.75rem 0.55rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
thead th { color: var(--soft); font-size: 0.8rem; font-weight: 600; border-bottom-width: 2px; }
th:nth-child(1) { width: 20%; } th:nth-child(2) { width: 32%; } th:nth-child(4) { width: 17%; }
tbody th { font-weight: 600; }
.by { color: var(--soft); font-size: 0.85rem; }
.by b { color: var(--ink); font-weight: 600; }
code { font-family: ui-monospace, monospace; font-size: 0.85em; }
.deny td:nth-child(2) { color: var(--deny); }
.box { display: block; }
.box::before { content: ""; display: inline-block; width: 0.85em; height: 0.85em; margin-right: 0.5em; border: 1.5px solid var(--soft); border-radius: 2px; vertical-align: -0.08em; }
.line { display: block; height: 1.4em; border-bottom: 1px solid var(--soft); }
.note { color: var(--soft); font-size: 0.85rem; }
.sign { display: flex; gap: 2rem; margin: 1.5rem 0 0; color: var(--soft); font-size: 0.85rem; }
.sign span { flex: 2; padding-top: 1.6rem; border-bottom: 1px solid var(--soft); } .sign span + span { flex: 1; }
@media (max-width: 40rem) { table, tbody, tr, td, tbody th { display: block; width: auto !important; } thead { display: none; } tr { padding: 0.75rem 0; border-bottom: 1px solid var(--rule); } th, td { border: 0; padding: 0.15rem 0; } .box { display: inline-block; margin-right: 1rem; } }
@media print { :root { color-scheme: light; } @page { margin: 15mm; } body { max-width: none; padding: 0; font-size: 9.5pt; } thead { display: table-header-group; } tr, h2, .owner, .sign { break-inside: avoid; } h2, .owner { break-after: avoid; } }
`;
