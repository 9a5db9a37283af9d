import { isUtf8 } from 'node:buffer';
import { type Exchange, toHeaderRecord } from './exchange.ts';

/** Maximum size of a body in a report, in bytes. */
const MAX_BYTES = 16_384;

interface ReportedBody {
  /** Empty if the bytes are not UTF-8. */
  body: string;
  /** Size of the complete body in bytes, if `body` is not all of it. */
  bodySize?: number;
}

/** A request as sent. Header names are in their original case. */
export interface SentRequest extends ReportedBody {
  method: string;
  url: string;
  headers: Record<string, string | string[]>;
}

/** A response as received. Header names are in lower case. */
export interface ReceivedResponse extends ReportedBody {
  status: number;
  /** Whether the connection was closed inside the body. */
  isCut?: boolean;
  headers: Record<string, string | string[]>;
}

/** A call as a finding shows it. */
export interface ReportedCall {
  request: SentRequest;
  response: ReceivedResponse;
  /** Whether the request was one of several on one connection. */
  onOneConnection?: boolean;
}

export function toReportedCall({ sent, received }: Exchange): ReportedCall {
  const { method, url, onOneConnection } = sent;
  const { status, isCut } = received;
  const lowered = received.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    request: { method, url, headers: toHeaderRecord(sent.headers), ...toText(sent.body) },
    response: {
      status,
      ...(isCut && { isCut }),
      headers: toHeaderRecord(lowered),
      ...toText(received.body),
    },
    ...(onOneConnection && { onOneConnection }),
  };
}

function toText(all: Buffer): ReportedBody {
  const text = all.subarray(0, MAX_BYTES).toString();
  const isText = isUtf8(all) && !text.includes('\0');
  if (!isText) return { body: '', bodySize: all.length };
  return all.length > MAX_BYTES ? { body: text, bodySize: all.length } : { body: text };
}
