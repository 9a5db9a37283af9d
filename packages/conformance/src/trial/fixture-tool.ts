import type { Exchange, HeaderList } from '../http/exchange.ts';
import { Unreached } from './endings.ts';
import type { GatewayTool } from './gateway-tool.ts';

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
  /** Milliseconds. */
  delay?: number;
  chunked?: boolean;
  trickle?: number;
  break?: 'head' | 'reset' | 'truncate';
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
  mark?: string;
}

/** Paths that order an answer from the fixture service, and what it says about the calls it got. */
export interface FixtureTool {
  answer(order: AnswerOrder): string;
  events(order: EventsOrder): string;
  socket(order?: {
    mark?: string;
    protocol?: string;
    refuse?: number;
    headers?: HeaderList;
  }): string;
  /** The echo in an answer; `undefined` where it is none of the fixture's. */
  readEcho(exchange: Exchange): Echo | undefined;
  /** How many calls and upgrades with a mark have reached the service. */
  count(mark: string): Promise<number>;
  /** Lets a held event stream go on; false where none is waiting. */
  release(hold: string): Promise<boolean>;
  /** How the service saw the end of a WebSocket; `undefined` where it saw none in time. */
  closed(mark: string): Promise<{ code: number; reason: string } | undefined>;
}

const NAME = 'berth-conformance';

export function createFixtureTool(gateway: GatewayTool): FixtureTool {
  const ask = async (path: string): Promise<Record<string, unknown>> => {
    const { received } = await gateway.call({ path });
    if (received.status === 200) return Object(received.json);
    throw new Unreached(`the fixture service answered ${received.status} to ${path}`);
  };
  return {
    answer: ({ headers, body, chunked, ...order }) =>
      toPath('/answer', {
        ...order,
        ...(chunked ? { chunked: 1 } : {}),
        ...(body === undefined ? {} : { body64: Buffer.from(body).toString('base64url') }),
        header: toParameters(headers),
      }),
    events: ({ headers, ...order }) =>
      toPath('/events', { ...order, header: toParameters(headers) }),
    socket: ({ headers, ...order } = {}) =>
      toPath('/socket', { ...order, header: toParameters(headers) }),
    readEcho: ({ received }) => readEcho(received.json),
    async count(mark) {
      const { count } = await ask(toPath('/count', { mark }));
      if (typeof count === 'number') return count;
      throw new Unreached('the fixture service gave no count');
    },
    release: async (hold) => (await ask(toPath('/release', { hold }))).released === true,
    async closed(mark) {
      const { closed, code, reason } = await ask(toPath('/closed', { mark, wait: 5000 }));
      return closed === true ? { code: Number(code), reason: String(reason) } : undefined;
    },
  };
}

/** The echo in a JSON body; `undefined` where the fixture service did not make it. */
export function readEcho(json: unknown): Echo | undefined {
  const echo = Object(json);
  return echo.fixture === NAME && typeof echo.target === 'string' ? echo : undefined;
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
