import { readEcho } from '../fixture-invariants.ts';
import type { HeaderList } from '../http/exchange.ts';
import { SkipError } from '../result.ts';
import type { GatewayClient } from './gateway-client.ts';

/**
 * Describes the response that the fixture service should send. `fixture/README.md` documents the protocol.
 */
export interface ResponseRequest {
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

export interface EventsRequest {
  count?: number;
  /** Send the first event, and hold the others until `release` is called with the same name. */
  hold?: string;
  /** Maximum time to hold them, in milliseconds. */
  wait?: number;
  interval?: number;
}

export interface SocketRequest {
  mark?: string;
  protocol?: string;
  /** Send this text before anything else. */
  greet?: string;
  /** Reject the handshake with this status. */
  refuse?: number;
  headers?: HeaderList;
}

export type FixtureClient = ReturnType<typeof createFixtureClient>;

/**
 * Creates paths that request a response from the fixture service, and reads its reports about the requests
 * that it received.
 */
export function createFixtureClient(gateway: GatewayClient) {
  async function ask(path: string): Promise<Record<string, unknown>> {
    const { received } = await gateway.call({ path });
    if (received.status === 200) return Object(received.json);
    throw new SkipError(`the fixture service responded with ${received.status} to ${path}`);
  }

  return {
    respond({ body, chunked, ...request }: ResponseRequest): string {
      const body64 = body === undefined ? undefined : Buffer.from(body).toString('base64url');
      return toPath('/respond', { ...request, chunked: chunked ? 1 : undefined, body64 });
    },

    events: (request: EventsRequest): string => toPath('/events', { ...request }),

    socket: (request: SocketRequest = {}): string => toPath('/socket', { ...request }),

    /** Returns the echo in a response, or `undefined` if the fixture service did not send it. */
    readEcho,

    /** Returns how many requests and upgrades with a mark reached the service. */
    async count(mark: string): Promise<number> {
      const { count } = await ask(toPath('/count', { mark }));
      if (typeof count === 'number') return count;
      throw new SkipError('the fixture service returned no count');
    },

    /** Continues a held event stream; returns false if none is waiting. */
    async release(hold: string): Promise<boolean> {
      return (await ask(toPath('/release', { hold }))).released === true;
    },

    /** Returns how the service saw a WebSocket end; `undefined` if it did not see it in time. */
    async closed(mark: string): Promise<{ code: number; reason: string } | undefined> {
      const { closed, code, reason } = await ask(toPath('/closed', { mark, wait: 5000 }));
      return closed === true ? { code: Number(code), reason: String(reason) } : undefined;
    },
  };
}

type FixtureRequest = Record<string, unknown> & { headers?: HeaderList };

/** Writes a request as the query of a path. */
function toPath(path: string, { headers = [], ...request }: FixtureRequest): string {
  const all = [
    ...Object.entries(request),
    ...headers.map(([name, value]) => ['header', `${name}:${value}`]),
  ];
  const written = all
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return written.length === 0 ? path : `${path}?${written.join('&')}`;
}
