import { dump } from 'js-yaml';

/** Names that a spreadsheet, a browser, a terminal or a reader of lines would obey. */
export const HOSTILE = [
  '=HYPERLINK("http://x","y")',
  '+1',
  '-1',
  '@SUM(A1)',
  ' =1',
  '\u200b',
  '＝1',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "a,b;c'd",
  'two\nlines',
  'tab\there',
  '\u202egnp.exe',
  "'quoted",
  '&amp;',
];

/** A configuration in which groups, policies, prefixes and owners have such names. */
export function hostileConfig(): string {
  return dump({
    auth: {
      enabled: true,
      public_origin: 'https://files.example.com',
      oidc: { issuer: 'https://login.example.com', client_id: 'svc' },
    },
    providers: [{ name: 'main', endpoint: 'https://s3.example.com', owner: HOSTILE[0] }],
    policies: HOSTILE.map((name) => ({
      version: 1,
      name,
      rules: [
        {
          effect: 'allow',
          actions: ['objects:get'],
          resources: [{ type: 'prefix', provider: 'main', bucket: 'box', prefix: name }],
        },
      ],
    })),
    bindings: HOSTILE.map((name) => ({ groups: [name], policies: [name] })),
  });
}
