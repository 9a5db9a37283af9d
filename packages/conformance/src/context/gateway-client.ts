import type { UnsignedCall } from '../credentials/sign.ts';
import { type Caller, type OpenExchange, toTrickle } from '../http/caller.ts';
import {
  type Call,
  type Exchange,
  type HeaderInput,
  type HeaderList,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import type { Upgrade } from '../http/open-web-socket.ts';
import { NoWebSocketError, SkipError } from '../result.ts';
import { isGatewayError } from '../validation/read-gateway.ts';
import type { Run } from './run.ts';

export interface GatewayCall {
  method?: string;
  /** What follows the service name, sent unchanged: `/echo/a?x=1`, `?x=1`. Default: nothing. */
  path?: string;
  /** Default: the fixture service. */
  service?: string;
  /** Path below the URL of the gateway, instead of that of a service. */
  route?: string;
  headers?: HeaderInput;
  body?: string | Uint8Array;
  /** Sends the body in chunks instead, without a length (RFC 9112, section 7.1). */
  chunks?: readonly Uint8Array[];
  /**
   * - `valid` (default): credentials that the target accepted before. If it now rejects them with 401, the
   * check is skipped
   * - `bearer`, `signature`: that scheme; any response is returned
   * - `none`: no credentials
   * - headers: exactly these, instead of credentials
   */
  credentials?: 'valid' | 'bearer' | 'signature' | 'none' | HeaderInput;
  /** `Host`. Default: `--gateway-host`, or the host of the URL. */
  host?: string;
  /** Return a 429. Default: wait and send the request again. */
  keep429?: boolean;
  /** Return a 401 even with `valid` credentials. Default: the check is skipped. */
  acceptsRefusal?: boolean;
}

export type GatewayClient = ReturnType<typeof createGatewayClient>;

/** Creates a client for the services behind the gateway. */
export function createGatewayClient(run: Run, caller: Caller) {
  const { gatewayUrl, gatewayHost } = run.settings;
  return {
    /** `Host` for gateway calls. */
    host: gatewayHost ?? new URL(gatewayUrl).host,
    /** Path of the fixture service, `/v1/cloudrun/conformance`. */
    servicePath: toGatewayPath(run, {}),

    /** Calls a service and reads the complete response. */
    async call(call: GatewayCall = {}): Promise<Exchange> {
      const exchange = await caller.call(toGatewayCall(run, call));
      assertAccepted(call, exchange);
      return exchange;
    },

    /** Calls a service and returns when the response head arrives. */
    async open(call: GatewayCall = {}): Promise<OpenExchange> {
      return caller.open(toGatewayCall(run, call));
    },

    /**
     * Opens a WebSocket.
     *
     * @param protocols subprotocols to offer
     */
    async upgrade(call: GatewayCall = {}, protocols: readonly string[] = []): Promise<Upgrade> {
      if (run.webSocket !== true) throw new NoWebSocketError(run.webSocket);
      const upgrade = await caller.upgrade(toGatewayCall(run, call), protocols);
      assertAccepted(call, upgrade);
      return upgrade;
    },
  };
}

/** Adds address, `Host` and credentials to a call. */
export function toGatewayCall(run: Run, call: GatewayCall): Call {
  const { origin, host } = new URL(run.settings.gatewayUrl);
  const { chunks, credentials = 'valid', keep429 } = call;
  const body = chunks ? Buffer.concat(chunks) : Buffer.from(call.body ?? '');
  const method = call.method ?? ((call.body ?? chunks) === undefined ? 'GET' : 'POST');
  const target = toGatewayPath(run, call);
  const first: HeaderList = [['Host', call.host ?? run.settings.gatewayHost ?? host]];
  const coding: HeaderList = chunks ? [['Transfer-Encoding', 'chunked']] : [];
  const headers = withHeaders([...first, ...coding], toHeaderList(call.headers));
  const unsigned = { method, url: origin + target, headers, body };
  const all = withHeaders(headers, sign(run, credentials, unsigned));
  const trickle = chunks && toTrickle(chunks);
  return { method, origin, target, headers: all, body, trickle, keep429 };
}

function toGatewayPath({ settings }: Run, { service, route, path = '' }: GatewayCall): string {
  const { pathname } = new URL(settings.gatewayUrl);
  const below = route ?? `/v1/cloudrun/${service ?? settings.service}`;
  return pathname.replace(/\/+$/, '') + below + path;
}

function sign(
  { signers, gatewayScheme }: Run,
  credentials: NonNullable<GatewayCall['credentials']>,
  call: UnsignedCall,
): HeaderList {
  if (credentials === 'none') return [];
  if (typeof credentials !== 'string') return toHeaderList(credentials);
  const scheme = credentials === 'valid' ? gatewayScheme : credentials;
  const signer = scheme && signers.gateway[scheme];
  if (signer) return signer(call);
  if (credentials === 'valid') return [];
  throw new Error(`The check needs ${credentials} credentials, which are missing.`);
}

/** If valid credentials are rejected during a run, that proves nothing about the rule. */
function assertAccepted(call: GatewayCall, { received }: Exchange): void {
  const isValid = (call.credentials ?? 'valid') === 'valid' && !call.acceptsRefusal;
  if (!isValid || received.status !== 401 || !isGatewayError(received)) return;
  throw new SkipError(
    'the gateway rejected the credentials with 401, although it accepted them before',
  );
}
