import type { Exchange, HeaderList, Received } from '../http/exchange.ts';
import { Unreached } from '../result.ts';
import type { GatewayClient } from './gateway-client.ts';

/** What the fixture service says of a call that it echoes. */
export interface Echo {
  method: string;
  /** Path and query as they arrived. */
  target: string;
  headers: HeaderList;
  body: { size: number; sha256: string; base64?: string };
}

/** What the fixture service is to answer; see the protocol in `fixture/README.md`. */
export interface AnswerOrder {
  status?: number;
  /** Default: no `Content-Type`. */
  type?: string;
  body?: string | Uint8Array;
  /** Bytes of a fixed pattern instead of a body. */
  size?: number;
  headers?: HeaderList;
  chunked?: boolean;
  /** Milliseconds between eight pieces of the body. */
  trickle?: number;
  /** Counted under this mark. */
  mark?: string;
}

export interface EventsOrder {
  count?: number;
  /** The first event is sent, the others wait for `release` of the same name. */
  hold?: string;
  /** Longest wait for it, in milliseconds. */
  wait?: number;
  interval?: number;
  type?: string;
  headers?: HeaderList;
}

export interface SocketOrder {
  mark?: string;
  protocol?: string;
  headers?: HeaderList;
}

/** Paths that order an answer from the fixture service, and what it says about the calls it got. */
export class FixtureClient {
  readonly #gateway: GatewayClient;

  constructor(gateway: GatewayClient) {
    this.#gateway = gateway;
  }

  answer({ headers, body, chunked, ...order }: AnswerOrder): string {
    return toPath('/answer', {
      ...order,
      ...(chunked ? { chunked: 1 } : {}),
      ...(body === undefined ? {} : { body64: Buffer.from(body).toString('base64url') }),
      header: toParameters(headers),
    });
  }

  events({ headers, ...order }: EventsOrder): string {
    return toPath('/events', { ...order, header: toParameters(headers) });
  }

  socket({ headers, ...order }: SocketOrder = {}): string {
    return toPath('/socket', { ...order, header: toParameters(headers) });
  }

  /** The echo in an answer; `undefined` where it is none of the fixture's. */
  readEcho({ received }: Exchange): Echo | undefined {
    return readEcho(received);
  }

  /** How many calls and upgrades with a mark have reached the service. */
  async count(mark: string): Promise<number> {
    const { count } = await this.#ask(toPath('/count', { mark }));
    if (typeof count === 'number') return count;
    throw new Unreached('the fixture service gave no count');
  }

  /** Lets a held event stream go on; false where none is waiting. */
  async release(hold: string): Promise<boolean> {
    return (await this.#ask(toPath('/release', { hold }))).released === true;
  }

  /** How the service saw the end of a WebSocket; `undefined` where it saw none in time. */
  async closed(mark: string): Promise<{ code: number; reason: string } | undefined> {
    const { closed, code, reason } = await this.#ask(toPath('/closed', { mark, wait: 5000 }));
    return closed === true ? { code: Number(code), reason: String(reason) } : undefined;
  }

  async #ask(path: string): Promise<Record<string, unknown>> {
    const { received } = await this.#gateway.call({ path });
    if (received.status === 200) return Object(received.json);
    throw new Unreached(`the fixture service answered ${received.status} to ${path}`);
  }
}

/** The echo in an answer; `undefined` where the fixture service did not make it. */
export function readEcho({ json }: Received): Echo | undefined {
  const echo = Object(json);
  return echo.fixture === 'berth-conformance' && typeof echo.target === 'string' ? echo : undefined;
}

function toParameters(headers: HeaderList = []): string[] {
  return headers.map(([name, value]) => `${name}:${value}`);
}

type Parameter = string | number | undefined;

function toPath(path: string, query: Record<string, Parameter | Parameter[]>): string {
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  const written = pairs
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return written.length === 0 ? path : `${path}?${written.join('&')}`;
}
