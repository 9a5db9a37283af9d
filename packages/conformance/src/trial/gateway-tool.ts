import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Caller, OpenExchange } from '../http/caller.ts';
import {
  type Exchange,
  type HeaderInput,
  type HeaderList,
  readAll,
  toHeaderList,
  withHeaders,
} from '../http/exchange.ts';
import { Throttled } from '../http/health.ts';
import { openWebSocket, type Upgrade } from '../http/open-web-socket.ts';
import { isGatewayError } from '../judge/judge-gateway.ts';
import { Unreached } from './endings.ts';
import type { Run } from './run.ts';

/** Between two chunks of a body, in milliseconds. */
const PAUSE = 20;

/** A call of a hosted service. */
export interface GatewayCall {
  /** Default: GET, or POST where there is a body. */
  method?: string;
  /** What stands behind the name of the service, exactly as sent: `/echo/a?x=1`, `?x=1`. Default: nothing. */
  path?: string;
  /** Default: the fixture service. */
  service?: string;
  headers?: HeaderInput;
  body?: string | Uint8Array;
  /** The body in chunks instead, one after another and without a length (RFC 9112, section 7.1). */
  chunks?: readonly Uint8Array[];
  /**
   * - `valid` (default): what the target was found to accept. Where it refuses them with 401 now, the
   *   check ends as not reached
   * - `bearer`, `signature`: that scheme, and every answer is taken as it comes
   * - `none`: no credentials
   * - headers: exactly these, instead of credentials
   */
  credentials?: 'valid' | 'bearer' | 'signature' | 'none' | HeaderInput;
  /** `Host`. Default: `--gateway-host`, or the host of the URL. */
  host?: string;
  /** The whole target instead of `/v1/cloudrun/{service}{path}`. */
  target?: string;
  /** Take a 429 as the answer. Default: wait and call again. */
  keep429?: boolean;
  /** Take a 401 as the answer, also with `valid` credentials. Default: the check ends as not reached. */
  acceptsRefusal?: boolean;
}

export interface GatewayTool {
  /** Calls a service and reads the whole answer. */
  call(call?: GatewayCall): Promise<Exchange>;
  /** Calls a service and returns with the head of the answer. */
  open(call?: GatewayCall): Promise<OpenExchange>;
  /**
   * Asks for a WebSocket.
   *
   * @param protocols offered subprotocols
   */
  upgrade(call?: GatewayCall, protocols?: readonly string[]): Promise<Upgrade>;
  /** `Host` of the gateway calls. */
  readonly host: string;
  /** Path of the fixture service, `/v1/cloudrun/conformance`. */
  readonly servicePath: string;
}

export function createGatewayTool(run: Run, caller: Caller): GatewayTool {
  const { settings } = run;
  const { origin, pathname } = new URL(settings.gatewayUrl);
  const base = pathname.replace(/\/+$/, '');
  const host = settings.gatewayHost ?? new URL(settings.gatewayUrl).host;

  const prepare = async (call: GatewayCall) => {
    const { chunks } = call;
    const body = chunks ? Buffer.concat(chunks) : Buffer.from(call.body ?? '');
    const method = call.method ?? ((call.body ?? chunks) === undefined ? 'GET' : 'POST');
    const service = call.service ?? settings.service;
    const target = call.target ?? `${base}/v1/cloudrun/${service}${call.path ?? ''}`;
    const coding: HeaderList = chunks ? [['Transfer-Encoding', 'chunked']] : [];
    const own: HeaderList = [['Host', call.host ?? host], ...coding];
    const headers = withHeaders(own, toHeaderList(call.headers));
    const unsigned = { method, url: origin + target, headers, body };
    const credentials = await sign(run, call.credentials ?? 'valid', unsigned);
    const signed = withHeaders(headers, credentials);
    const trickle = chunks && (() => Readable.from(pauseBetween(chunks)));
    return { method, origin, target, headers: signed, body, trickle, keep429: call.keep429 };
  };

  /** Valid credentials that are refused half-way say nothing about the rule. */
  const assertAccepted = (call: GatewayCall, exchange: Exchange) => {
    const isValid = (call.credentials ?? 'valid') === 'valid' && !call.acceptsRefusal;
    const { status, json, header } = exchange.received;
    if (!isValid || status !== 401 || !isGatewayError(status, json, header('x-request-id'))) return;
    throw new Unreached('the gateway refused the credentials with 401, though it took them before');
  };

  return {
    host,
    servicePath: `${base}/v1/cloudrun/${settings.service}`,
    async call(call = {}) {
      const exchange = await caller.call(await prepare(call));
      assertAccepted(call, exchange);
      return exchange;
    },
    open: async (call = {}) => caller.open(await prepare(call)),
    async upgrade(call = {}, protocols = []) {
      const prepared = await prepare(call);
      const { agents, signal, pace } = run;
      let notBefore: number | undefined = 0;
      for (let attempt = 0; ; attempt += 1) {
        await pace.ready(signal, notBefore);
        const began = Date.now();
        const upgrade = await openWebSocket(prepared, protocols, agents, settings.timeout, signal);
        if (upgrade.status !== 429 || call.keep429) {
          if (upgrade.refusal) assertAccepted(call, upgrade.refusal);
          return upgrade;
        }
        notBefore = pace.slowDown(readAll(upgrade.headers, 'retry-after')[0], attempt, began);
        if (notBefore === undefined) {
          throw new Throttled(`${prepared.target}: too many requests (429), again and again`);
        }
      }
    },
  };
}

/** Each goes out alone: a gateway that takes what is there for the whole gets no more than the first. */
async function* pauseBetween(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield chunk;
    await wait(PAUSE);
  }
}

async function sign(
  run: Run,
  credentials: NonNullable<GatewayCall['credentials']>,
  call: { method: string; url: string; headers: HeaderList; body: Buffer },
): Promise<HeaderList> {
  if (credentials === 'none') return [];
  if (credentials === 'valid') return (await run.gatewaySigner?.(call)) ?? [];
  if (typeof credentials !== 'string') return toHeaderList(credentials);
  const signer = run.signers.gateway[credentials];
  if (signer === undefined) throw new Error(`No ${credentials} credentials: the check needs them.`);
  return signer(call);
}
