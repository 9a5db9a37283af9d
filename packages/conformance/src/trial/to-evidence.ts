import type { Answer, Exchange, HeaderList, Received, SentRequest } from '../http/exchange.ts';

/** A call as evidence; of an open one the head is enough. */
export type Evidence =
  | Exchange
  | { sent: Exchange['sent']; status: number; headers: Exchange['received']['headers'] };

/** Longest body that a report carries, in bytes. */
const LONGEST = 16_384;

/** A call as a report shows it. */
export function toEvidence(evidence: Evidence): { request: SentRequest; answer: Answer } {
  const { sent } = evidence;
  const received =
    'received' in evidence ? evidence.received : { ...evidence, body: Buffer.alloc(0) };
  return {
    request: {
      method: sent.method,
      url: sent.url,
      headers: Object.fromEntries(
        Object.entries(toRecord(sent.headers)).map(([name, value]) => [
          name,
          [value].flat().join(', '),
        ]),
      ),
      ...toText(sent.body, LONGEST),
    },
    answer: toAnswer(received, LONGEST),
  };
}

/**
 * An answer as a report shows it.
 *
 * @param longest bytes of the body that are kept. Default: all
 */
export function toAnswer(
  { status, headers, body }: Pick<Received, 'status' | 'headers' | 'body'>,
  longest = Number.POSITIVE_INFINITY,
): Answer {
  const lowered: HeaderList = headers.map(([name, value]) => [name.toLowerCase(), value]);
  return { status, headers: toRecord(lowered), ...toText(body, longest) };
}

function toRecord(headers: HeaderList): Record<string, string | string[]> {
  const record = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const before = record.get(name);
    record.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(record);
}

function toText(
  whole: Buffer,
  longest: number,
): Pick<Answer, 'body' | 'bodyEncoding'> & { bodySize?: number } {
  const bytes = whole.subarray(0, longest);
  const cut = whole.length > longest ? { bodySize: whole.length } : {};
  const text = bytes.toString();
  if (text.includes('\0') || Buffer.from(text).compare(bytes) !== 0) {
    const isCutInside = whole.length > longest && !text.slice(0, -1).includes('\uFFFD');
    if (!isCutInside) return { body: bytes.toString('base64'), bodyEncoding: 'base64', ...cut };
  }
  return { body: text, bodyEncoding: 'utf-8', ...cut };
}

/**
 * Whether a text is meant as an XML document with an `Error` element, at its root or deeper, with or
 * without a namespace prefix. Whether the document is sound is for `UP-ERROR` to say.
 */
export function hasXmlError(text: string): boolean {
  const isXml = /^\uFEFF?\s*</.test(text) && !/<html[\s>]/i.test(text);
  return isXml && /<(?:[\w.-]+:)?Error[\s/>]/.test(text);
}
