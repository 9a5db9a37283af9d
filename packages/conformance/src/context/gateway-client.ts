import { type OpenExchange, pauseBetween } from '../http/caller.ts';
import {
  type Call,
  type Exchange,
  type HeaderInput,
  type HeaderList,
  type Received,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import type { Socket, Upgrade } from '../http/open-web-socket.ts';
import { NoWebSocketError, SkipError } from '../not-run.ts';
import { isGatewayError, readEcho } from '../validation/read-response.ts';
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
  /** Return a 401 even with `valid` credentials. Default: the check is skipped. */
  acceptsRefusal?: boolean;
}

/** The parameters of a command of the fixture service, see `fixture/README.md`. */
export interface FixtureRequest
  extends Partial<Record<'greet' | 'hold' | 'mark' | 'protocol' | 'type', string>>,
    Partial<
      Record<'count' | 'interval' | 'refuse' | 'size' | 'status' | 'trickle' | 'wait', number>
    > {
  body?: string | Uint8Array;
  chunked?: boolean;
  headers?: HeaderList;
}

export type GatewayClient = ReturnType<typeof createGatewayClient>;

export type FixtureClient = ReturnType<typeof createFixtureClient>;

export function createGatewayClient(run: Run) {
  const { caller, settings } = run;
  const { gatewayUrl, gatewayHost } = settings;
  function assertAccepted(call: GatewayCall, { received }: Exchange): void {
    if (received.status === 401 && isGatewayError(received))
      assertRefusable(call, received, 'gateway');
  }
  return {
    host: gatewayHost ?? new URL(gatewayUrl).host,
    servicePath: toGatewayPath(run, {}),

    async call(call: GatewayCall = {}): Promise<Exchange> {
      const exchange = await caller.call(toGatewayCall(run, call));
      assertAccepted(call, exchange);
      return exchange;
    },

    open: (call: GatewayCall): Promise<OpenExchange> => caller.open(toGatewayCall(run, call)),

    async upgrade(call: GatewayCall, offers: readonly string[] = []): Promise<Upgrade> {
      const { webSocket } = run.missing;
      if (webSocket) throw new NoWebSocketError(webSocket.reason);
      const upgrade = await caller.upgrade(toGatewayCall(run, call), offers);
      assertAccepted(call, upgrade);
      return upgrade;
    },
  };
}

/** If valid credentials are rejected during a run, that proves nothing about the rule. */
export function assertRefusable(
  { credentials = 'valid', acceptsRefusal }: Pick<GatewayCall, 'credentials' | 'acceptsRefusal'>,
  { status }: Received,
  api: string,
): void {
  if (credentials !== 'valid' || acceptsRefusal) return;
  const reason = `rejected the credentials with ${status}, although it accepted them before`;
  throw new SkipError(`the ${api} ${reason}`);
}

export async function closeSocket(socket: Socket | undefined): Promise<void> {
  socket?.close();
  // Only the end matters, not how it happens.
  await socket?.closed().catch(() => {});
}

/** Writes the paths of the fixture service's commands, and reads its reports about the requests that it received. */
export function createFixtureClient(gateway: GatewayClient, timeoutMs: number) {
  async function getReport(path: string): Promise<Record<string, unknown>> {
    const { received } = await gateway.call({ path });
    if (received.status === 200) return Object(received.json);
    throw new SkipError(`the fixture service responded with ${received.status} to ${path}`);
  }
  // The service must respond before the call for its report times out.
  const wait = Math.ceil(Math.min(5000, timeoutMs / 2));
  return {
    respond: (request: FixtureRequest): string => toPath('/respond', request),
    events: (request: FixtureRequest): string => toPath('/events', request),
    socket: (request: FixtureRequest = {}): string => toPath('/socket', request),
    readEcho,

    /** Returns how many requests and upgrades with a mark reached the service. */
    async count(mark: string): Promise<number> {
      const { count } = await getReport(toPath('/count', { mark }));
      if (typeof count === 'number') return count;
      throw new SkipError('the fixture service returned no count');
    },

    /** Continues a held event stream; returns false if none is waiting. */
    async release(hold: string): Promise<boolean> {
      return (await getReport(toPath('/release', { hold }))).released === true;
    },

    /** Returns how the service saw a WebSocket end; `undefined` if it did not see it in time. */
    async closed(mark: string): Promise<{ code: number; reason: string } | undefined> {
      const { closed, code, reason } = await getReport(toPath('/closed', { mark, wait }));
      return closed === true ? { code: Number(code), reason: String(reason) } : undefined;
    },
  };
}

function toPath(command: string, { headers = [], body, chunked, ...rest }: FixtureRequest): string {
  const body64 = body === undefined ? undefined : Buffer.from(body).toString('base64url');
  const written = [
    ...Object.entries({ ...rest, body64, chunked: chunked && 1 }),
    ...headers.map(([name, value]) => ['header', `${name}:${value}`] as const),
  ]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return written.length === 0 ? command : `${command}?${written.join('&')}`;
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
    const scheme = credentials === 'valid' ? run.gatewayScheme : credentials;
    const signer = scheme && run.signers.gateway[scheme];
    return signer?.({ method, url, headers: unsigned, body }) ?? [];
  };
  const headers = withHeaders(unsigned, sign());
  const trickle = chunks && (() => pauseBetween(chunks));
  return { method, url, headers, body, trickle, keep429 };
}

function toGatewayPath({ settings }: Run, { service, path = '' }: GatewayCall): string {
  const { pathname } = new URL(settings.gatewayUrl);
  return `${pathname.replace(/\/+$/, '')}/v1/cloudrun/${service ?? settings.service}${path}`;
}
