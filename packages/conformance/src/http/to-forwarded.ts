import type { RequestOptions } from 'node:http';

/** The options of a call to an `http` target, as they are sent to a proxy that forwards it. */
export function toForwarded<Options extends RequestOptions & { headers: string[] }>(
  options: Options,
  origin: string,
  proxy: URL,
): Options {
  const { username, password, protocol, hostname, port } = proxy;
  const pair = [username, password].map(decodeURIComponent).join(':');
  const credentials = `Basic ${Buffer.from(pair).toString('base64')}`;
  return {
    ...options,
    protocol,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: origin + options.path,
    headers: [...options.headers, ...(username ? ['Proxy-Authorization', credentials] : [])],
    agent: false,
  };
}
