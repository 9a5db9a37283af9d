import {
  type Evidence,
  type HeaderList,
  parseJson,
  type ReceivedResponse,
  type SentRequest,
  splitTarget,
  toHeaderRecord,
} from '../http/exchange.ts';

/** Maximum size of a body in a report, in bytes. */
const LONGEST = 16_384;

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

/** Maximum number of files to list. */
const MOST_FILES = 5;

/**
 * Returns the paths of the stored files that a call refers to, by path, file ID or link.
 *
 * @param stored the file ID of each path
 */
export function listFiles(stored: ReadonlyMap<string, string>, { sent }: Evidence): string[] {
  const words = new Set<unknown>();
  const add = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(add);
    else words.add(value);
  };
  add(parseJson(sent.body.subarray(0, LONGEST)));
  const { pathname } = splitTarget(sent.url);
  return [...stored]
    .filter(
      ([path, fileId]) =>
        words.has(path) || words.has(`/${path}`) || words.has(fileId) || pathname.endsWith(path),
    )
    .map(([path]) => path)
    .slice(0, MOST_FILES);
}

function toText(
  whole: Buffer,
): Pick<ReceivedResponse, 'body' | 'bodyEncoding'> & { bodySize?: number } {
  const bytes = whole.subarray(0, LONGEST);
  const cut = whole.length > LONGEST ? { bodySize: whole.length } : {};
  const text = bytes.toString();
  if (text.includes('\0') || Buffer.from(text).compare(bytes) !== 0) {
    const isCutInside = whole.length > LONGEST && !text.slice(0, -1).includes('\uFFFD');
    if (!isCutInside) return { body: bytes.toString('base64'), bodyEncoding: 'base64', ...cut };
  }
  return { body: text, bodyEncoding: 'utf-8', ...cut };
}
