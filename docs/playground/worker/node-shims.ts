import { finished, type Readable, type Writable } from 'node:stream';

/** What the routers use of `node:buffer`, `node:crypto`, `node:net`, `node:stream/promises` and `node:util`. */

export const { TextDecoder } = globalThis;

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export const inspect = String;

/** For classes that are functions. */
export function inherits(to: { prototype: object }, from: { prototype: object }): void {
  Object.setPrototypeOf(to.prototype, from.prototype);
}

/** A worker has no connections. */
export class Socket {}

/** Only WebSockets need it, which no worker can serve. */
export function createHash(): never {
  throw new Error('A worker serves no WebSockets.');
}

export function pipeline(source: Readable, target: Writable, { end = true } = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    finished(source, (error) => (error ? reject(error) : resolve()));
    source.pipe(target, { end });
  });
}
