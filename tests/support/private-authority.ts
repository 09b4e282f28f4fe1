import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';

/** A certificate authority that nobody knows, as companies have one, made with the program `openssl`. */
export class PrivateAuthority {
  readonly #directory = mkdtempSync(join(tmpdir(), 'svc-authority-'));
  /** PEM file of its certificate. */
  readonly file = join(this.#directory, 'ca.pem');
  #made = 0;

  constructor() {
    this.#openssl(
      'req',
      '-x509',
      ...NEW_KEY,
      '-keyout',
      'ca.key',
      '-out',
      'ca.pem',
      '-days',
      '2',
      '-subj',
      '/CN=Private Authority',
    );
  }

  get certificate(): string {
    return readFileSync(this.file, 'utf8');
  }

  /** A certificate for this machine's loopback addresses, unless another name is given. */
  issue({ names = 'IP:127.0.0.1,IP:127.0.0.2,DNS:localhost', days = 2 } = {}): {
    readonly key: string;
    readonly cert: string;
  } {
    const name = `server-${++this.#made}`;
    writeFileSync(join(this.#directory, `${name}.ext`), `subjectAltName=${names}\n`);
    this.#openssl('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    this.#openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.pem`,
      '-extfile',
      `${name}.ext`,
      '-days',
      String(days),
    );
    return {
      key: readFileSync(join(this.#directory, `${name}.key`), 'utf8'),
      cert: readFileSync(join(this.#directory, `${name}.pem`), 'utf8'),
    };
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #openssl(...args: readonly string[]): void {
    execFileSync('openssl', args, { cwd: this.#directory, stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export type TlsFront = { readonly port: number; close(): Promise<void> };

/** TLS in front of a server of this machine that speaks without. */
export async function startTlsFront(target: string, credentials: TlsOptions, host = '127.0.0.1'): Promise<TlsFront> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer(credentials, (client) => {
    const upstream = connect(Number(port), hostname);
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
  server.on('tlsClientError', () => undefined);
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
