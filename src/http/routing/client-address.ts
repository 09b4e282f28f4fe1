import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';

/** Reads the client's address; undefined when the connection has none. */
export type ClientAddress = (req: Pick<IncomingMessage, 'headers' | 'socket'>) => string | undefined;

/**
 * The address of the connection, or, if a trusted proxy made it, the last address in `X-Forwarded-For` that belongs to no trusted proxy.
 *
 * `Forwarded` never counts, because a proxy that writes one of the two headers passes on the other as the client sent it.
 *
 * @param trustedProxies - addresses and CIDRs.
 */
export function clientAddressBehind(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return ({ socket }) => addressIn(socket.remoteAddress ?? '');
  const trusted = new BlockList();
  for (const proxy of trustedProxies) trust(trusted, proxy);
  return ({ headers, socket }) => {
    let client = addressIn(socket.remoteAddress ?? '');
    const named = String(headers['x-forwarded-for'] ?? '').split(',');
    while (client !== undefined && trusted.check(client, familyOf(client))) {
      const before = addressIn(named.pop()?.trim() ?? '');
      if (before === undefined) break;
      client = before;
    }
    return client;
  };
}

function trust(trusted: BlockList, proxy: string): void {
  const [address = '', bits] = proxy.split('/');
  if (bits !== undefined) trusted.addSubnet(address, Number(bits), familyOf(address));
  else trusted.addAddress(addressIn(address)!, familyOf(addressIn(address)!));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Some proxies add the client's port: `192.0.2.1:80`, `[2001:db8::1]:80`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/;

/** The address in the text, in its one spelling: without a port or a zone, and as IPv4 where IPv6 only wraps it. */
function addressIn(text: string): string | undefined {
  if (isIP(text) === 4) return text;
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  const family = isIP(address);
  if (family !== 6) return family === 4 ? address : undefined;
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=[\d.]+$)/, '');
}
