import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '@berth/server-stubs/contract';

/** Returns whether an origin is on this machine: `http://localhost:3000`, `https://app.localhost`. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!/^https?:/.test(origin) || !URL.canParse(origin)) return false;
  const url = new URL(origin);
  // Sandboxed pages and files have the origin `null`, which any site can have.
  return url.origin === origin && isOwnHost(url.hostname, 'localhost');
}

/** Hosts that mean every interface of the machine. */
const ANY_ADDRESS = ['0.0.0.0', '::'];

/**
 * Returns whether a call uses a host name that only this machine can have: a loopback name, the host that the
 * mock listens on, or any IP address if it listens on all interfaces.
 *
 * @param hostname as in a URL
 */
export function isOwnHost(hostname: string, listenHost: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(host) || host.endsWith('.localhost')) return true;
  if (host === listenHost.toLowerCase()) return true;
  return ANY_ADDRESS.includes(listenHost) && isIP(host) !== 0;
}

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z\d._-]{1,253})(?::\d{1,5})?$/i;

/** Returns a request's origin, as normalized by `URL`, or `undefined` if the request has no host. */
export function originOf({ url = '', headers }: IncomingMessage): string | undefined {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host;
  if (authority === undefined || !AUTHORITY.test(authority)) return undefined;
  const origin = `http://${authority}`;
  return URL.canParse(origin) ? origin : undefined;
}

/** Returns the raw path of a request target, without the query, and without the host of an absolute form. */
export function rawPathOf(target: string): string {
  const from = target.startsWith('/') ? 0 : hostEnd(target);
  const mark = target.indexOf('?', from);
  const path = target.slice(from, mark < 0 ? undefined : mark);
  return path === '' ? '/' : path;
}

function hostEnd(target: string): number {
  return /^https?:\/\/[^/?]*/i.exec(target)?.[0].length ?? 0;
}
