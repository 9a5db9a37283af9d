import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { GatewayInput } from '@berth/server-stubs';
import { memoize } from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';
import { toAddress } from '../http/http.ts';

/** Headers that services get from this server instead, or not at all. The stubs' `WITHHELD` has already been removed. */
const REPLACED = new Set([
  // The length is that of the body that is actually sent.
  'content-length',
  // RFC 7239: only X-Forwarded-* is maintained here, and the two could contradict each other.
  'forwarded',
  // A service gets its own host, for virtual hosts. The caller's is in X-Forwarded-Host.
  'host',
  // A service would trust it, and only the proxy in front of the gateway knows the address.
  'x-real-ip',
]);

/** Set here: a caller could pretend to be someone else. */
const FORWARDED = 'x-forwarded-';

/** RFC 6455, section 11.3.4: it belongs to a handshake. In any other call it could only carry a token (D14). */
const SUBPROTOCOLS = 'sec-websocket-protocol';

const NO_HEADERS: IncomingMessage['headers'] = {};

/**
 * Creates a function that returns the headers of the call to a service, as alternating names and values. The service
 * gets no credentials, because with them it could call other services or the storage API in the caller's name.
 *
 * @param trustProxy whether to continue the `X-Forwarded-*` headers that the proxy in front of the gateway has set
 */
export function createToServiceHeaders({ storageHeaders }: WireProfile, trustProxy: boolean) {
  const credentials = new Set(Object.values(storageHeaders).map(toSpelling));
  const ruleOf = memoize((name): 'forward' | 'withhold' | 'forward-in-handshake' => {
    const spelling = toSpelling(name);
    if (spelling === SUBPROTOCOLS) return 'forward-in-handshake';
    if (REPLACED.has(spelling) || credentials.has(spelling)) return 'withhold';
    return spelling.startsWith(FORWARDED) ? 'withhold' : 'forward';
  });
  return (
    { rawHeaders }: GatewayInput,
    request: IncomingMessage,
    upgrade: 'websocket' | null,
  ): string[] => {
    const headers: string[] = [];
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] as string;
      const rule = ruleOf(name);
      if (rule === 'withhold' || (rule !== 'forward' && upgrade === null)) continue;
      headers.push(name, rawHeaders[index + 1] as string);
    }
    addForwarded(headers, request, trustProxy);
    return headers;
  };
}

/** As for the stubs, underscores count as hyphens. */
function toSpelling(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function addForwarded(
  headers: string[],
  { headers: received, socket }: IncomingMessage,
  trustProxy: boolean,
): void {
  const address = toAddress(socket.remoteAddress) ?? 'unknown';
  const protocol = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http';
  const trusted = trustProxy ? received : NO_HEADERS;
  // Node joins repeated ones, although the type allows a list. An empty one says nothing.
  const addresses = trusted['x-forwarded-for'] as string | undefined;
  headers.push(
    'x-forwarded-for',
    addresses ? `${addresses}, ${address}` : address,
    'x-forwarded-proto',
    (trusted['x-forwarded-proto'] as string | undefined) || protocol,
  );
  const host = (trusted['x-forwarded-host'] as string | undefined) || received.host;
  if (host !== undefined) headers.push('x-forwarded-host', host);
}
