import { type Exchange, type HeaderList, splitTarget } from '../http/exchange.ts';

/** What the fixture service sent, read from the request for it: `/respond?status=404&header=…`. */
export interface FixtureResponse {
  status: number;
  headers: HeaderList;
  /** Absent if the request does not say what it is: `/events`, `/socket`. */
  body?: () => Buffer;
}

/** Statuses with which a gateway may reject any call itself. */
const ANY_TIME = [401, 429];

/**
 * Returns what the fixture service sent, if a response is certainly that one.
 *
 * @param path what follows the name of the service in the path of the call
 */
export function readFixtureResponse(
  { sent, received }: Exchange,
  path: string,
): FixtureResponse | undefined {
  const response = toResponse(path, new URLSearchParams(splitTarget(sent.url).search));
  if (response?.status !== received.status) return undefined;
  if (!ANY_TIME.includes(received.status)) return response;
  // A refusal of the gateway, or of a proxy in front of it, does not have the service's ETag.
  const [, tag] = response.headers.find(([name]) => name.toLowerCase() === 'etag') ?? [];
  const isRefusal = Object(received.json).requestId !== undefined;
  return tag !== undefined && received.header('etag') === tag && !isRefusal ? response : undefined;
}

function toResponse(path: string, query: URLSearchParams): FixtureResponse | undefined {
  const type = query.get('type') ?? (path === '/events' ? 'text/event-stream' : null);
  const headers = [...query.getAll('header'), ...(type === null ? [] : [`Content-Type:${type}`])]
    .map((line) => /^([^:]*):?(.*)$/s.exec(line) ?? [])
    .map(([, name = '', value = '']): [string, string] => [name, value]);
  if (path === '/events') return { status: 200, headers };
  if (path === '/socket') return { status: Number(query.get('refuse') ?? 101), headers };
  if (path !== '/respond') return undefined;
  const status = Number(query.get('status') ?? 200);
  return { status, headers, body: () => toBody(status, query) };
}

function toBody(status: number, query: URLSearchParams): Buffer {
  if (status === 204 || status === 304) return Buffer.alloc(0);
  const size = query.get('size');
  const text = query.get('body');
  if (text !== null) return Buffer.from(text);
  if (size === null) return Buffer.from(query.get('body64') ?? '', 'base64url');
  return Buffer.from(Uint8Array.from({ length: Number(size) }, (_, index) => index % 251));
}
