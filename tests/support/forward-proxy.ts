import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A proxy as companies have one between their servers and the world. */
export type ForwardProxy = {
  readonly url: string;
  /** `CONNECT host:port` or `METHOD http://host:port`, for each request. */
  readonly passed: string[];
  close(): Promise<void>;
};

export async function startForwardProxy(): Promise<ForwardProxy> {
  const passed: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '', 'http://nowhere.invalid');
    passed.push(`${req.method} ${url.origin}`);
    const upstream = request(url, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    upstream.on('error', () => res.destroy());
    req.pipe(upstream);
  });
  server.on('connect', (req, client: Socket) => {
    passed.push(`CONNECT ${req.url}`);
    const { hostname, port } = new URL(`http://${req.url}`);
    const upstream = connect(Number(port), hostname, () => client.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .once('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
