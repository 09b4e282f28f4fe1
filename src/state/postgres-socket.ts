import { Socket } from 'node:net';
import { lookup } from '../bounds/lookup.ts';

/** Looks up the name of a server as the rest of the service does. */
export class ServerSocket extends Socket {
  override connect(port: unknown, host?: unknown): this {
    return super.connect(typeof host === 'string' ? { port: Number(port), host, lookup } : { path: String(port) });
  }
}
