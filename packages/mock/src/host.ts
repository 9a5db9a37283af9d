import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '@berth/server-stubs/contract';

const BRACKETS = /^\[(.*)\]$/;

/**
 * Returns whether a host name can only belong to this machine or its network, as a name without a dot does, such as
 * that of a container. A page may point any other name at this machine (DNS rebinding), and is then same-origin with
 * the mock. A mock that is exposed to the network accepts any IP address: it does not know which one callers use.
 */
export function isLocalName(name: string, listenHost: string): boolean {
  const host = name.replace(BRACKETS, '$1').toLowerCase();
  if (isLoopbackName(host) || host === listenHost.toLowerCase()) return true;
  if (isIpAddress(host)) return !isLoopback(listenHost);
  return host !== '' && !host.includes('.');
}

/** Returns whether a call has the host name of another site. */
export function hasForeignHost(request: IncomingMessage, host: string, origins: readonly string[]) {
  if (!isLoopback(host) || origins.includes('*')) return false;
  const name = hostNameOf(request);
  if (name === '' || isLocalName(name, host)) return false;
  return !origins.some((origin) => new URL(origin).hostname === name);
}

/** Returns whether an origin is on this machine: `http://localhost:3000`, `https://app.localhost`. */
export function isLoopbackOrigin(origin: string): boolean {
  // Sandboxed pages and files have the origin `null`, which any site can have.
  if (!/^https?:/.test(origin) || !URL.canParse(origin)) return false;
  const { origin: normalized, hostname } = new URL(origin);
  return normalized === origin && isLoopbackName(hostname);
}

/** @param host an IPv6 address may be in brackets */
export function isIpAddress(host: string): boolean {
  return isIP(host.replace(BRACKETS, '$1')) !== 0;
}

function isLoopbackName(host: string): boolean {
  return isLoopback(host) || host.endsWith('.localhost');
}

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z\d._-]{1,253})(?::\d{1,5})?$/i;

export function originOf({ url = '', headers }: IncomingMessage): string | undefined {
  const authority = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? '';
  const origin = `http://${authority}`;
  return AUTHORITY.test(authority) && URL.canParse(origin) ? origin : undefined;
}

/** Returns the host name that a request was sent to; the `Host` header as it is if it is not valid. */
export function hostNameOf(request: IncomingMessage): string {
  const origin = originOf(request);
  return origin === undefined ? (request.headers.host ?? '') : new URL(origin).hostname;
}

/** @param others other ways to allow the host name, after a comma */
export function toHostHint(request: IncomingMessage, others = ''): string {
  const name = hostNameOf(request).slice(0, 100);
  if (name === '') return 'The request has no Host header.';
  return `Call the mock as localhost or by its IP address, not as ${name}, or listen on that name with --host${others}.`;
}

const LOOPBACK_OF: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** Returns the origin of a listener. An address that means all interfaces becomes the loopback address. */
export function toOrigin(host: string, port: number): string {
  const name = LOOPBACK_OF.get(host) ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
