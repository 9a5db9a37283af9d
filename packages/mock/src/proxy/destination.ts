import type { SurfaceName } from '../surface-name.ts';
import type { KnownAddresses } from './known-addresses.ts';
import type { ProxyTargets } from './targets.ts';

/** Where a call goes. */
export interface Destination {
  /** `https://dev.example.com:8443` */
  readonly origin: string;
  /** Path and query, bytes as they came. */
  readonly path: string;
  /** Whether it is the deployment itself, for which the credentials of a call are meant. */
  readonly isTrusted: boolean;
}

const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** @returns undefined for an address that storage has not handed out */
export function findDestination(
  surface: SurfaceName,
  target: string,
  targets: ProxyTargets,
  addresses: KnownAddresses,
): Destination | undefined {
  if (surface === 'gateway' || surface === 'storage') {
    const { origin, pathname } = new URL(targets[surface]);
    const path = target.replace(AUTHORITY, '') || '/';
    const from = path.startsWith('/') ? path : `/${path}`;
    return { origin, path: pathname.replace(/\/$/, '') + from, isTrusted: true };
  }
  const url = addresses.find(target);
  if (url === undefined) return undefined;
  const known = Object.values(targets).map((base) => new URL(base).origin);
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    isTrusted: known.includes(url.origin),
  };
}
