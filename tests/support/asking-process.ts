/** Asks an URL from a process of its own: `fork` it with the URL and a number; it says when it is ready, asks on any message, and tells how each answer keeps its connection. */
import http from 'node:http';

const [url = '', count = '1'] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });

function ask(via: http.Agent | false): Promise<string> {
  return new Promise((resolve) => {
    const req = http.get(url, { agent: via }, (answer) => {
      answer.resume().once('close', () => resolve(answer.complete ? (answer.headers.connection ?? '') : 'cut'));
    });
    req.once('error', (error) => resolve(error.message));
  });
}

const several = (via: http.Agent | false) => Promise.all(Array.from({ length: Number(count) }, () => ask(via)));

await several(agent);
process.once(
  'message',
  () => void Promise.all([several(agent), several(false)]).then((answers) => process.send?.(answers.flat())),
);
process.send?.('ready');
