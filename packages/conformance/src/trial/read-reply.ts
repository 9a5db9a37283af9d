import type { Exchange } from '../http/exchange.ts';
import type { Envelope } from '../options.ts';

/** The answer to a storage call, and what its envelope holds. Nothing of it has been checked. */
export interface StorageReply extends Exchange {
  /** The answer as JSON; `undefined` where it is no JSON object. */
  envelope: Record<string, unknown> | undefined;
  /** What holds `requestId`, `data`, `code`: `body` of the envelope, or the answer itself if it is flat. */
  body: Record<string, unknown> | undefined;
  data: Record<string, unknown> | undefined;
  code: string | undefined;
  /** Not 2xx, or a `code` without `data` (D30). */
  refused: boolean;
}

export function readReply(exchange: Exchange, form: Envelope): StorageReply {
  const envelope = toObject(exchange.received.json);
  const body = form === 'flat' ? envelope : toObject(envelope?.body);
  const data = toObject(body?.data);
  const code = typeof body?.code === 'string' ? body.code : undefined;
  const { status } = exchange.received;
  const refused = status < 200 || status > 299 || (code !== undefined && data === undefined);
  return { ...exchange, envelope, body, data, code, refused };
}

function toObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}
