import type { UnsignedCall } from '../credentials/create-signers.ts';
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
import { isGatewayError } from '../invariants.ts';
import { NoWebSocket, Unreached } from '../result.ts';
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
   * check ends as not reached
   * - `bearer`, `signature`: that scheme; any response is returned
   * - `none`: no credentials
   * - headers: exactly these, instead of credentials
   */
  credentials?: 'valid' | 'bearer' | 'signature' | 'none' | HeaderInput;
  /** `Host`. Default: `--gateway-host`, or the host of the URL. */
  host?: string;
  /** Return a 429. Default: wait and send the request again. */
  keep429?: boolean;
  /** Return a 401 even with `valid` credentials. Default: the check ends as not reached. */
  acceptsRefusal?: boolean;
}

export class GatewayClient {
  /** `Host` for gateway calls. */
  readonly host: string;
  /** Path of the fixture service, `/v1/cloudrun/conformance`. */
  readonly servicePath: string;
  readonly #run: Run;
  readonly #caller: Caller;
  readonly #base: URL;

  constructor(run: Run, caller: Caller) {
    const { settings } = run;
    this.#run = run;
    this.#caller = caller;
    this.#base = new URL(settings.gatewayUrl);
    this.host = settings.gatewayHost ?? this.#base.host;
    this.servicePath = this.#pathOf(settings.service);
  }

  /** Calls a service and reads the complete response. */
  async call(call: GatewayCall = {}): Promise<Exchange> {
    const exchange = await this.#caller.call(await this.#prepare(call));
    assertAccepted(call, exchange);
    return exchange;
  }

  /** Calls a service and returns when the response head arrives. */
  async open(call: GatewayCall = {}): Promise<OpenExchange> {
    return this.#caller.open(await this.#prepare(call));
  }

  /**
   * Opens a WebSocket.
   *
   * @param protocols subprotocols to offer
   */
  async upgrade(call: GatewayCall = {}, protocols: readonly string[] = []): Promise<Upgrade> {
    if (this.#run.webSocket !== true) throw new NoWebSocket(this.#run.webSocket);
    const upgrade = await this.#caller.upgrade(await this.#prepare(call), protocols);
    if (upgrade.refusal) assertAccepted(call, upgrade.refusal);
    return upgrade;
  }

  #pathOf(service: string, route = `/v1/cloudrun/${service}`): string {
    return this.#base.pathname.replace(/\/+$/, '') + route;
  }

  async #prepare(call: GatewayCall): Promise<Call> {
    const { chunks, credentials = 'valid', host = this.host, path = '', keep429 } = call;
    const { origin } = this.#base;
    const body = chunks ? Buffer.concat(chunks) : Buffer.from(call.body ?? '');
    const method = call.method ?? ((call.body ?? chunks) === undefined ? 'GET' : 'POST');
    const target = this.#pathOf(call.service ?? this.#run.settings.service, call.route) + path;
    const coding: HeaderList = chunks ? [['Transfer-Encoding', 'chunked']] : [];
    const headers = withHeaders([['Host', host], ...coding], toHeaderList(call.headers));
    const signed = await this.#sign(credentials, { method, url: origin + target, headers, body });
    const trickle = chunks && toTrickle(chunks);
    const all = withHeaders(headers, signed);
    return { method, origin, target, headers: all, body, trickle, keep429 };
  }

  async #sign(
    credentials: NonNullable<GatewayCall['credentials']>,
    call: UnsignedCall,
  ): Promise<HeaderList> {
    if (credentials === 'none') return [];
    if (credentials === 'valid') return (await this.#run.gatewaySigner?.(call)) ?? [];
    if (typeof credentials !== 'string') return toHeaderList(credentials);
    const signer = this.#run.signers.gateway[credentials];
    if (signer) return signer(call);
    throw new Error(`The check needs ${credentials} credentials, which are missing.`);
  }
}

/** If valid credentials are rejected during a run, that proves nothing about the rule. */
function assertAccepted(call: GatewayCall, { received }: Exchange): void {
  const isValid = (call.credentials ?? 'valid') === 'valid' && !call.acceptsRefusal;
  if (!isValid || received.status !== 401 || !isGatewayError(received)) return;
  throw new Unreached(
    'the gateway rejected the credentials with 401, although it accepted them before',
  );
}
