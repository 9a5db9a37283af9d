import { type CallRecord, headOf, toHeaderRecord } from './exchange.ts';

/** Maximum size of a body in a report, in bytes. */
const MAX_BYTES = 16_384;

interface ReportedBody {
  /** Text; base64 if the bytes are not UTF-8, see `bodyEncoding`. */
  body: string;
  /** Default: `utf-8`. */
  bodyEncoding?: 'utf-8' | 'base64';
  /** Size of the complete body in bytes, if `body` is truncated. */
  bodySize?: number;
}

/** A request as sent. Header names are in their original case; each value is one string. */
export interface SentRequest extends ReportedBody {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** A response as received. Header names are in lower case. */
export interface ReceivedResponse extends ReportedBody {
  status: number;
  headers: Record<string, string | string[]>;
}

/** A call as a finding shows it. */
export interface ReportedCall {
  request: SentRequest;
  response: ReceivedResponse;
  /** Whether the request was one of several on one connection. */
  onOneConnection?: boolean;
}

export function toReportedCall(call: CallRecord): ReportedCall {
  const { method, url, headers, body, onOneConnection } = call.sent;
  const { status, headers: received } = headOf(call);
  const lowered = received.map(([name, value]) => [name.toLowerCase(), value] as const);
  const sent = Object.entries(toHeaderRecord(headers)).map(([name, value]) => [
    name,
    [value].flat().join(', '),
  ]);
  const content = 'received' in call ? call.received.body : Buffer.alloc(0);
  return {
    request: { method, url, headers: Object.fromEntries(sent), ...toText(body) },
    response: { status, headers: toHeaderRecord(lowered), ...toText(content) },
    ...(onOneConnection && { onOneConnection }),
  };
}

function toText(all: Buffer) {
  const bytes = all.subarray(0, MAX_BYTES);
  const cut = all.length > MAX_BYTES ? { bodySize: all.length } : {};
  const text = bytes.toString();
  const isText = !text.includes('\0') && Buffer.from(text).equals(bytes);
  // The cut may be within a character.
  const isCutText = all.length > MAX_BYTES && !text.slice(0, -1).includes('\uFFFD');
  return isText || isCutText
    ? { body: text, bodyEncoding: 'utf-8' as const, ...cut }
    : { body: bytes.toString('base64'), bodyEncoding: 'base64' as const, ...cut };
}
