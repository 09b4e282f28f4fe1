/**
 * Asks an URL from a process of its own: `fork` it with the URL, a number and a file; it says when it is ready, asks on any message, writes the file when all it
 * asks has been sent, and tells how each answer keeps its connection.
 */
import { writeFileSync } from 'node:fs';
import http from 'node:http';

const [url = '', count = '1', sentFile = ''] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });

function ask(via: http.Agent | false): Promise<string> {
  return new Promise((resolve) => {
    const req = http.get(url, { agent: via }, (answer) => {
      answer.resume().once('close', () => resolve(answer.complete ? (answer.headers.connection ?? '') : 'cut'));
    });
    req.once('error', (error) => resolve(error.message));
    req.once('finish', () => {
      left -= 1;
      if (left === 0) writeFileSync(sentFile, '');
    });
  });
}

/** How many requests have not been sent; those before the message count too. */
let left = 3 * Number(count);
const several = (via: http.Agent | false) => Promise.all(Array.from({ length: Number(count) }, () => ask(via)));

await several(agent);
process.once(
  'message',
  () => void Promise.all([several(agent), several(false)]).then((answers) => process.send?.(answers.flat())),
);
process.send?.('ready');
