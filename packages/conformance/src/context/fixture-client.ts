import { type Echo, readEcho } from '../fixture-invariants.ts';
import type { Exchange, HeaderList } from '../http/exchange.ts';
import { Unreached } from '../result.ts';
import type { GatewayClient } from './gateway-client.ts';

/**
 * Describes the response that the fixture service should send. `fixture/README.md` documents the protocol.
 */
export interface ResponseOrder {
  status?: number;
  /** Default: no `Content-Type`. */
  type?: string;
  body?: string | Uint8Array;
  /** Send this many bytes of a fixed pattern instead of a body. */
  size?: number;
  headers?: HeaderList;
  chunked?: boolean;
  /** Milliseconds between eight pieces of the body. */
  trickle?: number;
  /** Count the request under this mark. */
  mark?: string;
}

export interface EventsOrder {
  count?: number;
  /** Send the first event, and hold the others until `release` is called with the same name. */
  hold?: string;
  /** Maximum time to hold them, in milliseconds. */
  wait?: number;
  interval?: number;
  type?: string;
  headers?: HeaderList;
}

export interface SocketOrder {
  mark?: string;
  protocol?: string;
  /** Send this text before anything else. */
  greet?: string;
  /** Reject the handshake with this status. */
  refuse?: number;
  headers?: HeaderList;
}

/**
 * Creates paths that request a response from the fixture service, and reads its reports about the requests
 * that it received.
 */
export class FixtureClient {
  readonly #gateway: GatewayClient;

  constructor(gateway: GatewayClient) {
    this.#gateway = gateway;
  }

  respond({ body, chunked, ...order }: ResponseOrder): string {
    const body64 = body === undefined ? undefined : Buffer.from(body).toString('base64url');
    return toPath('/respond', { ...order, chunked: chunked ? 1 : undefined, body64 });
  }

  events(order: EventsOrder): string {
    return toPath('/events', { ...order });
  }

  socket(order: SocketOrder = {}): string {
    return toPath('/socket', { ...order });
  }

  /** Returns the echo in a response, or `undefined` if the fixture service did not send it. */
  readEcho(exchange: Pick<Exchange, 'received'>): Echo | undefined {
    return readEcho(exchange);
  }

  /** Returns how many requests and upgrades with a mark reached the service. */
  async count(mark: string): Promise<number> {
    const { count } = await this.#ask(toPath('/count', { mark }));
    if (typeof count === 'number') return count;
    throw new Unreached('the fixture service returned no count');
  }

  /** Continues a held event stream; returns false if none is waiting. */
  async release(hold: string): Promise<boolean> {
    return (await this.#ask(toPath('/release', { hold }))).released === true;
  }

  /** Returns how the service saw a WebSocket end; `undefined` if it did not see it in time. */
  async closed(mark: string): Promise<{ code: number; reason: string } | undefined> {
    const { closed, code, reason } = await this.#ask(toPath('/closed', { mark, wait: 5000 }));
    return closed === true ? { code: Number(code), reason: String(reason) } : undefined;
  }

  async #ask(path: string): Promise<Record<string, unknown>> {
    const { received } = await this.#gateway.call({ path });
    if (received.status === 200) return Object(received.json);
    throw new Unreached(`the fixture service responded with ${received.status} to ${path}`);
  }
}

type Order = Record<string, unknown> & { headers?: HeaderList };

/** Writes an order as the query of a path. */
function toPath(path: string, { headers = [], ...order }: Order): string {
  const all = [
    ...Object.entries(order),
    ...headers.map(([name, value]) => ['header', `${name}:${value}`]),
  ];
  const written = all
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return written.length === 0 ? path : `${path}?${written.join('&')}`;
}
