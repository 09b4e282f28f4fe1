import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Reads syslog messages with their lengths before them (RFC 6587), and closes a connection that the other side has ended. */
export class SyslogServer {
  readonly messages: string[] = [];
  /** What to do with the connections that come, one each; the others are read to their end. */
  readonly misbehaviours: ((socket: Socket) => void)[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor() {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
      const misbehave = this.misbehaviours.shift();
      if (misbehave !== undefined) {
        misbehave(socket);
        return;
      }
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
      socket.once('end', () => {
        this.messages.push(...messagesIn(Buffer.concat(chunks)));
        socket.end();
      });
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function messagesIn(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const [head, length] = /^(\d+) /.exec(bytes.toString('latin1', at, at + 12)) ?? [];
    if (head === undefined) throw new Error('no length before a message');
    at += head.length;
    messages.push(bytes.toString('utf8', at, at + Number(length)));
    at += Number(length);
  }
  return messages;
}
