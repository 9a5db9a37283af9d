import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { XMLParser } from 'fast-xml-parser';

/** What a mock returned for a request. */
export interface Verdict {
  readonly status: number;
  /** Whether the request itself was invalid, or there is no response for it. */
  readonly isRefusal: boolean;
  /** What breaks the contract, sorted and without duplicates: `body /fileList/0 type`. */
  readonly violations: readonly string[];
  readonly type: string | undefined;
  /** Parsed if it is JSON or XML; undefined if it is empty. */
  readonly body: unknown;
}

const xml = new XMLParser({ ignoreDeclaration: true });

/** Parses a body according to its content type. */
export function toBody(type: string | undefined, text: string): unknown {
  if (text === '') return undefined;
  if (type === 'application/json') return JSON.parse(text);
  return type === 'application/xml' ? xml.parse(text) : text;
}

/** A media type without its parameters. */
export function toType(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(';', 1)[0];
}

/** Removes duplicates and sorts. */
export function toSet(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

/** Matches any body. */
export const NOT_COMPARED = 'any body';

/** Placeholder for values that differ in each call. */
export const OWN_ID = 'id of the call';

/** A request that is sent to both mocks. */
export interface Asked {
  readonly document: 'gateway' | 'storage';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Timeout for an idle connection, in milliseconds; there are bodies that prism-cli never responds to. */
const timeout = 60_000;

/** Sends a request unchanged. */
export function send(base: string, { method, path, headers: given, body }: Asked): Promise<Reply> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...given, ...length };
  return new Promise((resolve, reject) => {
    // prism-cli reports violations in a header.
    const outgoing = request(base, { method, path, headers, maxHeaderSize: 1_000_000, timeout });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`No response to ${method} ${path}.`)));
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      buffer(response).then((bytes) => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, text: bytes.toString() });
      }, reject);
    });
    outgoing.end(body);
  });
}
