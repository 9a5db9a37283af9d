import { type Caller, type OpenExchange, pauseBetween } from '../http/caller.ts';
import {
  type Call,
  type Exchange,
  type HeaderInput,
  type HeaderList,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import type { Socket, Upgrade } from '../http/open-web-socket.ts';
import type { Run } from './run.ts';

export interface GatewayCall {
  method?: string;
  /** What follows the service name, sent unchanged: `/echo/a?x=1`. */
  path?: string;
  service?: string;
  headers?: HeaderInput;
  body?: string | Uint8Array;
  /** Sends the body in chunks instead, without a length (RFC 9112, section 7.1). */
  chunks?: readonly Uint8Array[];
  /** Default: `valid`, which the gateway accepted before. Headers are sent instead of credentials. */
  credentials?: 'valid' | 'bearer' | 'signature' | 'none' | HeaderInput;
  /** `Host`. Default: `--gateway-host`, or the host of the URL. */
  host?: string;
  /** Return a 429. Default: wait and send the request again. */
  keep429?: boolean;
}

export type GatewayClient = ReturnType<typeof createGatewayClient>;

export function createGatewayClient(run: Run, caller: Caller) {
  const { gatewayUrl, gatewayHost } = run.settings;
  return {
    host: gatewayHost ?? new URL(gatewayUrl).host,
    servicePath: toGatewayPath(run, {}),

    call: (call: GatewayCall = {}): Promise<Exchange> => caller.call(toGatewayCall(run, call)),

    open: (call: GatewayCall): Promise<OpenExchange> => caller.open(toGatewayCall(run, call)),

    upgrade: (call: GatewayCall, offers: readonly string[] = []): Promise<Upgrade> =>
      caller.upgrade(toGatewayCall(run, call), offers),
  };
}

export async function closeSocket(socket: Socket | undefined): Promise<void> {
  socket?.close();
  // Only the end matters, not how it happens.
  await socket?.closed().catch(() => {});
}

export function toGatewayCall(run: Run, call: GatewayCall): Call {
  const { origin, host } = new URL(run.settings.gatewayUrl);
  const { chunks, credentials = 'valid', keep429 } = call;
  const body = chunks ? Buffer.concat(chunks) : Buffer.from(call.body ?? '');
  const method = call.method ?? ((call.body ?? chunks) === undefined ? 'GET' : 'POST');
  const url = origin + toGatewayPath(run, call);
  const first: HeaderList = [['Host', call.host ?? run.settings.gatewayHost ?? host]];
  const coding: HeaderList = chunks ? [['Transfer-Encoding', 'chunked']] : [];
  const unsigned = withHeaders([...first, ...coding], toHeaderList(call.headers));
  const sign = () => {
    if (credentials === 'none') return [];
    if (typeof credentials !== 'string') return toHeaderList(credentials);
    const scheme = credentials === 'valid' ? run.deployment.gatewayScheme : credentials;
    const signer = scheme && run.signers[scheme];
    return signer?.({ method, url, headers: unsigned, body }) ?? [];
  };
  const headers = withHeaders(unsigned, sign());
  const stream = chunks && (() => pauseBetween(chunks));
  return { method, url, headers, body, stream, keep429 };
}

function toGatewayPath({ settings }: Run, { service, path = '' }: GatewayCall): string {
  const { pathname } = new URL(settings.gatewayUrl);
  return `${pathname.replace(/\/+$/, '')}/v1/cloudrun/${service ?? settings.service}${path}`;
}
