import { isIP } from 'node:net';

/**
 * Whether a request for this `Host` can be meant. A page of another site may let its own name lead to
 * this machine (DNS rebinding), and then read what is served here; it cannot make a browser send an
 * address or `localhost` instead of its name.
 */
export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  const hostname = URL.parse(`http://${host ?? ''}`)?.hostname;
  if (host === undefined || hostname === undefined) return false;
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return (
    isIP(bare) !== 0 || bare === 'localhost' || names.some((name) => name.toLowerCase() === bare)
  );
}
