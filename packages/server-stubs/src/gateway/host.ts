/** The host of a request, and the environment that it names. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors.ts';
import { memoize } from '../runtime/portable/headers.ts';

/** The environments that a router serves: a name, or a function that returns whether it serves a name. */
export type EnvOption = string | ((env: string) => boolean);

/** D12: the environment is the first label, or a complete IP address. A single environment accepts loopback hosts. */
export function findHostEnv(request: IncomingMessage, env: EnvOption | undefined): string {
  const invalid = (message: string) => new GatewayError('INVALID_HOST', { message });
  const { host: sent = '' } = request.headers;
  // RFC 9112, section 3.2: a request has one `Host`.
  const host = countHosts(request) === 1 && toHostname(sent);
  if (!host) throw invalid('The Host header is missing, duplicated, or not a host name.');
  const isLocal = isLoopback(host);
  const isComplete = isLocal || IPV4.test(host);
  const label = isComplete ? host : (host.split('.', 1)[0] as string);
  if (env === undefined) return label;
  if (typeof env === 'function' && env(label) === true) return label;
  if (typeof env === 'string' && (isLocal || label === env.toLowerCase())) return env;
  throw invalid(`The host ${host} does not belong to any environment of this gateway.`);
}

const AUTHORITY = /^(?:\[[\da-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i;

/** URLs write every IPv4 address like this. */
const IPV4 = /^\d+(?:\.\d+){3}$/;

const toHostname = memoize((authority) =>
  AUTHORITY.test(authority) ? (URL.parse(`http://${authority}`)?.hostname ?? '') : '',
);

/** Returns the number of `Host` headers. Node drops all but the first. */
export function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** `127.0.0.0/8`, also as an IPv6 address, and `::1`. */
const LOOPBACK =
  /^(?:localhost|(?:\[?::ffff:)?127(?:\.\d{1,3}){3}\]?|\[?::(?:1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\]?)$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
