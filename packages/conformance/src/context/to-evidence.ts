import {
  type Evidence,
  type HeaderList,
  type ReceivedResponse,
  type SentRequest,
  toHeaderRecord,
} from '../http/exchange.ts';

/** Maximum size of a body in a report, in bytes. */
const MAX_BYTES = 16_384;

/** Converts a call to evidence for a report. */
export function toEvidence(evidence: Evidence): {
  request: SentRequest;
  response: ReceivedResponse;
} {
  const { method, url, headers, body } = evidence.sent;
  const received =
    'received' in evidence ? evidence.received : { ...evidence, body: Buffer.alloc(0) };
  const lowered: HeaderList = received.headers.map(([name, value]) => [name.toLowerCase(), value]);
  const sentHeaders = Object.entries(toHeaderRecord(headers)).map(([name, value]) => [
    name,
    [value].flat().join(', '),
  ]);
  return {
    request: { method, url, headers: Object.fromEntries(sentHeaders), ...toText(body) },
    response: {
      status: received.status,
      headers: toHeaderRecord(lowered),
      ...toText(received.body),
    },
  };
}

function toText(
  all: Buffer,
): Pick<ReceivedResponse, 'body' | 'bodyEncoding'> & { bodySize?: number } {
  const bytes = all.subarray(0, MAX_BYTES);
  const cut = all.length > MAX_BYTES ? { bodySize: all.length } : {};
  const text = bytes.toString();
  if (text.includes('\0') || Buffer.from(text).compare(bytes) !== 0) {
    const isCutInside = all.length > MAX_BYTES && !text.slice(0, -1).includes('\uFFFD');
    if (!isCutInside) return { body: bytes.toString('base64'), bodyEncoding: 'base64', ...cut };
  }
  return { body: text, bodyEncoding: 'utf-8', ...cut };
}
