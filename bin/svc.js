#!/usr/bin/env node
// Plain JavaScript on purpose: an older Node cannot read TypeScript, and must still be able to say so.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  process.stderr.write(`svc needs Node 24 or newer; this is ${process.version}. From a checkout, \`npm run -s svc -- …\` uses the right one.\n`);
  process.exit(1);
}
const { main } = await import('../src/main.ts');
await main(process.argv.slice(2));
