import { catalogue } from '../../src/errors/catalogue.ts';

const HEAD = `# Errors

<!-- Made from src/errors/catalogue.ts by \`npm run build:docs\`. Do not edit. -->

HTTP errors are problem documents (RFC 9457) of the type \`urn:svc:problem:<code>\`. JSON-RPC errors have the same \`code\` in \`data\`. Use \`code\` to tell errors apart: titles and details are for people and may change.

| Code | HTTP | JSON-RPC | Title |
|---|---|---|---|
`;

/** docs/errors.md: a row for each error of the catalogue. */
export function errorReference(): string {
  return (
    HEAD +
    Object.entries(catalogue)
      .map(([code, { status, rpc, title }]) => `| \`${code}\` | ${status} | ${rpc} | ${title} |\n`)
      .join('')
  );
}
