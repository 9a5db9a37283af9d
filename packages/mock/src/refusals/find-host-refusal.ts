import type { IncomingMessage } from 'node:http';
import { originOf } from '../http/origin-of.ts';
import type { ResolvedOptions } from '../options.ts';
import { isLoopback, isOwnHost } from '../routing/host.ts';
import type { OwnRefusal } from './send-own-refusal.ts';
import { INVALID } from './to-refusal.ts';

/**
 * Refuses a call under the name of another site. A page may let its own name lead to this machine (DNS
 * rebinding), and would be of the same origin as the mock: one that listens for this machine alone takes
 * no name that others can have, except those of `origins`.
 */
export function findHostRefusal(
  request: IncomingMessage,
  { host, origins = [] }: Partial<Pick<ResolvedOptions, 'origins'>> & { readonly host: string },
): (OwnRefusal & { readonly status: number }) | undefined {
  if (!isLoopback(host.toLowerCase()) || origins.includes('*')) return undefined;
  const name = nameOf(request);
  // A name without a dot is one of the local network, such as that of a container.
  if (isOwnHost(name, host) || !name.includes('.')) return undefined;
  if (origins.some((origin) => new URL(origin).hostname === name)) return undefined;
  return {
    code: { ...INVALID, gateway: 'INVALID_HOST' },
    status: 421,
    message: `Call the mock as localhost or by its address, not as ${name}; or listen on that name with --host.`,
  };
}

/**
 * Whether a browser made a call. It sends neither `Sec-Fetch-Site` to a name without TLS nor `Origin` with
 * a GET of the same origin, but always names itself.
 */
export function isFromBrowser({ headers }: IncomingMessage): boolean {
  return (
    headers.origin !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers['user-agent']?.startsWith('Mozilla/') === true
  );
}

/** Browsers also take names that are none of a host elsewhere, such as `a~b.example`. */
function nameOf(request: IncomingMessage): string {
  const origin = originOf(request);
  return origin === undefined ? (request.headers.host ?? '') : new URL(origin).hostname;
}
