import { BlockList, isIPv4 } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** The host of an authority, in lower case and without port or brackets; undefined where it is no authority. */
export function hostOf(authority: string): string | undefined {
  const [, ipv6, name] =
    /^(?:\[([\da-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(authority) ?? [];
  return URL.canParse(`http://${authority}`) ? (ipv6 ?? name)?.toLowerCase() : undefined;
}

/** Whether a host is this machine's own: `localhost` or a loopback address. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  if (isIPv4(host)) return loopback.check(host, 'ipv4');
  return host.includes(':') && loopback.check(host, 'ipv6');
}

/** D12: "The environment is the first label of the host name". */
export function firstLabel(host: string): string {
  return host.split('.', 1)[0] as string;
}
