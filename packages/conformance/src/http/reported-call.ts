import { type Evidence, headOf, toHeaderRecord } from '../http/exchange.ts';
import type { Finding } from '../result.ts';

/** Maximum size of a body in a report, in bytes. */
const MAX_BYTES = 16_384;

/** Converts a call to evidence for a report. */
export function toEvidence(evidence: Evidence): Partial<Finding> {
  const { method, url, headers, body, onOneConnection } = evidence.sent;
  const { status, headers: received } = headOf(evidence);
  const lowered = received.map(([name, value]) => [name.toLowerCase(), value] as const);
  const sent = Object.entries(toHeaderRecord(headers)).map(([name, value]) => [
    name,
    [value].flat().join(', '),
  ]);
  const content = 'received' in evidence ? evidence.received.body : Buffer.alloc(0);
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
