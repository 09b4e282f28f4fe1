import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startApp, type ConfigObject, type TestApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';

type What = 'pass' | 'send twice' | 'lose the answer' | 'answer itself';

/** Starts the service behind a proxy that may send a request twice, lose an answer, or answer with a page of its own. */
export async function startBehindProxy(
  decide: (method: string, body: Buffer) => What,
  changed: ConfigObject = {},
): Promise<Pick<TestApp, 'origin' | 'settings' | 'signIn' | 'close'>> {
  const inner = await freePort();
  const app = await startApp({
    config: (config) => ({ ...config, ...changed, server: { ...(config['server'] as object), port: inner } }),
  });
  const proxy = createServer((req, res) => {
    void (async () => {
      const body = await buffer(req);
      const what = decide(req.method!, body);
      const ask = () =>
        fetch(`http://127.0.0.1:${inner}${req.url}`, {
          method: req.method!,
          headers: Object.entries(req.headers).flatMap(([name, value]): [string, string][] =>
            ['connection', 'content-length', 'transfer-encoding'].includes(name) ? [] : [[name, String(value)]],
          ),
          body: body.length === 0 ? null : body,
          redirect: 'manual',
        });
      if (what === 'answer itself') {
        res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
        return;
      }
      if (what === 'send twice') await (await ask()).arrayBuffer();
      const answer = await ask();
      const content = Buffer.from(await answer.arrayBuffer());
      if (what === 'lose the answer') res.destroy();
      else res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(content);
    })();
  }).listen(Number(new URL(app.origin).port), '127.0.0.1');
  return {
    origin: app.origin,
    settings: app.settings,
    signIn: (...args) => app.signIn(...args),
    close: async () => {
      proxy.close().closeAllConnections();
      await app.close();
    },
  };
}
