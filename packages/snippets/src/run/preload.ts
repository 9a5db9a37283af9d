/**
 * Loaded into each process that a page starts (`node --import`), so that the page's addresses work. Its
 * ports are mapped to free ones, which are recorded in the PAGE_PORTS folder, and its placeholder hosts
 * to its mock, unless PAGE_HOSTS is `real`.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { PLACEHOLDERS, PORTS } from './addresses.ts';

const folder = process.env.PAGE_PORTS as string;

/** Arguments of `listen` and `connect`: a port, options, or a list that Node has normalized. */
type Args = [unknown, ...unknown[]];

function withPort([first, ...others]: Args, change: (port: number) => number): Args {
  if (Array.isArray(first)) {
    first[0] = withPort([first[0]], change)[0];
    return [first, ...others];
  }
  const port = Number(typeof first === 'object' ? (first as { port?: unknown })?.port : first);
  if (!PORTS.includes(port)) return [first, ...others];
  const changed = typeof first === 'object' ? { ...first, port: change(port) } : change(port);
  return [changed, ...others];
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (this: net.Socket, ...args: Args) {
  const found = withPort(args, (port) => {
    const file = join(folder, String(port));
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : port;
  });
  return Reflect.apply(connect, this, found);
} as typeof connect;

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (this: net.Server, ...args: Args) {
  const found = withPort(args, (port) => {
    this.once('listening', () => {
      const address = this.address() as net.AddressInfo | null;
      if (address === null) return; // It has been closed already: Vite only tries whether a port is free.
      // Written atomically, because other processes read the file as soon as it exists.
      writeFileSync(`${folder}-${process.pid}`, String(address.port));
      renameSync(`${folder}-${process.pid}`, join(folder, String(port)));
    });
    return 0;
  });
  return Reflect.apply(listen, this, found);
} as typeof listen;

const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const own = process.env.PAGE_HOSTS === 'real' ? undefined : PLACEHOLDERS.get(url.hostname);
  if (own === undefined) return fetch(input, init);
  const address = url.href.replace(url.origin, own);
  return fetch(input instanceof Request ? new Request(address, input) : address, init);
};
