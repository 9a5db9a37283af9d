/* The suite's side of the fixture protocol, which `fixture/README.md` describes. */

import { SkipError } from '../errors.ts';
import { EVENT_STREAM, type Exchange, type HeaderList, splitTarget } from './exchange.ts';

/** The parameters of a command. */
export interface FixtureRequest
  extends Partial<Record<'greet' | 'hold' | 'mark' | 'protocol' | 'type', string>>,
    Partial<Record<'interval' | 'refuse' | 'size' | 'status' | 'trickle' | 'wait', number>> {
  body?: string | Uint8Array;
  chunked?: boolean;
  headers?: HeaderList;
}

/** A request as the fixture service received it. */
export interface Echo {
  protocol: number;
  method: string;
  target: string;
  headers: HeaderList;
  body: { size: number; sha256: string };
}

/** Returns the echo in a response, or `undefined` if the fixture service did not send it. */
export function readEcho({ received: { fields } }: Pick<Exchange, 'received'>): Echo | undefined {
  const isEcho = fields.fixture === 'berth-conformance' && typeof fields.target === 'string';
  return isEcho ? (fields as unknown as Echo) : undefined;
}

/** How long the service waits for the close of a WebSocket, in milliseconds. */
const MAX_CLOSE_WAIT = 5000;

export type FixtureClient = ReturnType<typeof createFixtureClient>;

/** Writes the paths of commands, and reads reports. `call` makes a GET of a path of the service. */
export function createFixtureClient(call: (path: string) => Promise<Exchange>, timeoutMs: number) {
  async function getReport(path: string): Promise<Record<string, unknown>> {
    const { received } = await call(path);
    if (received.status === 200) return received.fields;
    throw new SkipError(`the fixture service responded with ${received.status} to ${path}`);
  }
  return {
    path: toPath,

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
      // The report must arrive before its own call times out.
      const wait = Math.ceil(Math.min(MAX_CLOSE_WAIT, timeoutMs / 2));
      const { closed, code, reason } = await getReport(toPath('/closed', { mark, wait }));
      return closed === true ? { code: Number(code), reason: String(reason) } : undefined;
    },
  };
}

function toPath(
  command: string,
  { headers = [], body, chunked, ...rest }: FixtureRequest = {},
): string {
  const body64 = body === undefined ? undefined : Buffer.from(body).toString('base64url');
  const written = [
    ...Object.entries({ ...rest, body64, chunked: chunked && 1 }),
    ...headers.map(([name, value]) => ['header', `${name}:${value}`] as const),
  ]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return written.length === 0 ? command : `${command}?${written.join('&')}`;
}

/** What the fixture service sent, read from the request for it: `/respond?status=404&header=…`. */
export interface FixtureResponse {
  status: number;
  headers: HeaderList;
  /** Absent if the request does not say what it is: `/events`, `/socket`. */
  body?: () => Buffer;
}

/** Statuses with which a gateway may reject any call itself. */
const GATEWAY_STATUSES = [401, 429];

/**
 * Returns what the fixture service sent, if a response is certainly that one.
 *
 * @param path what follows the name of the service in the path of the call
 */
export function readFixtureResponse({ sent, received }: Exchange, path: string) {
  const response = toResponse(path, new URLSearchParams(splitTarget(sent.url).search));
  if (response?.status !== received.status) return undefined;
  if (!GATEWAY_STATUSES.includes(received.status)) return response;
  // A rejection of the gateway, or of a proxy in front of it, does not have the service's ETag.
  const [, tag] = response.headers.find(([name]) => name.toLowerCase() === 'etag') ?? [];
  const isRejection = received.fields.requestId !== undefined;
  return tag !== undefined && received.header('etag') === tag && !isRejection
    ? response
    : undefined;
}

function toResponse(path: string, query: URLSearchParams): FixtureResponse | undefined {
  const type = query.get('type');
  const headers = [...query.getAll('header'), ...(type === null ? [] : [`Content-Type:${type}`])]
    .map((line) => /^([^:]*):?(.*)$/s.exec(line) ?? [])
    .map(([, name = '', value = '']): [string, string] => [name, value]);
  if (path === '/events') return { status: 200, headers: [['Content-Type', EVENT_STREAM]] };
  if (path === '/socket') return { status: Number(query.get('refuse') ?? 101), headers };
  if (path !== '/respond') return undefined;
  const status = Number(query.get('status') ?? 200);
  return { status, headers, body: () => toBody(status, query) };
}

function toBody(status: number, query: URLSearchParams): Buffer {
  if (status === 204 || status === 304) return Buffer.alloc(0);
  const size = query.get('size');
  if (size === null) return Buffer.from(query.get('body64') ?? '', 'base64url');
  return Buffer.from(Uint8Array.from({ length: Number(size) }, (_, index) => index % 251));
}
