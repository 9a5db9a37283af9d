import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { NetworkFault } from './health.ts';
import { toMediaType } from './media-type.ts';

/** Larger than anything that the suite asks for, in bytes. */
export const LARGEST_BODY = 33 * 2 ** 20;

/** A call before it is sent. */
export interface Call {
  method: string;
  /** `https://dev.gateway.example:8443` */
  origin: string;
  /** Path and query exactly as they go on the wire. */
  target: string;
  /** All headers but `Content-Length` and `Connection`; `Host` stands among them or comes from the origin. */
  headers: HeaderList;
  body: Buffer;
  /** Sends the body bit by bit instead, with the length of `body` announced where it goes in no chunks. */
  trickle?: (() => Readable) | undefined;
  /** Take a 429 as the answer. Default: wait and call again. */
  keep429?: boolean | undefined;
}

/** A request as it went out. */
export interface Sent {
  method: string;
  /** Absolute, with the target exactly as on the wire. */
  url: string;
  headers: HeaderList;
  body: Buffer;
}

/** An answer as it came in, its body whole. */
export interface Received {
  status: number;
  headers: HeaderList;
  body: Buffer;
  /** All values of a header, joined by `, ` (RFC 9110, section 5.2); `undefined` without any. */
  header(name: string): string | undefined;
  /** Every value of a header. */
  all(name: string): string[];
  /** The body as UTF-8. */
  readonly text: string;
  /** The body as JSON, whatever its content type; `undefined` where it is none. */
  readonly json: unknown;
  /** The media type without parameters, in lower case; `undefined` without a content type. */
  readonly mediaType: string | undefined;
}

/** A request and the answer to it. */
export interface Exchange {
  sent: Sent;
  received: Received;
}

/** A call as evidence; of an open one the head is enough. */
export type Evidence = Exchange | { sent: Sent; status: number; headers: HeaderList };

/** Status and headers of the answer. */
export function headOf(evidence: Evidence): { status: number; headers: HeaderList } {
  return 'received' in evidence ? evidence.received : evidence;
}

/** Reads an answer to its end. */
export async function receive(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) {
      throw new NetworkFault(`the answer has more than ${LARGEST_BODY} bytes`, 'TOO_LARGE');
    }
    chunks.push(chunk);
  }
  const headers = fromRawHeaders(response.rawHeaders);
  return toReceived(response.statusCode ?? 0, headers, Buffer.concat(chunks));
}

export function toReceived(status: number, headers: HeaderList, body: Buffer): Received {
  return {
    status,
    headers,
    body,
    header(name) {
      const values = readAll(headers, name);
      return values.length === 0 ? undefined : values.join(', ');
    },
    all: (name) => readAll(headers, name),
    get text() {
      return body.toString();
    },
    get json() {
      try {
        return JSON.parse(body.toString());
      } catch {
        return undefined;
      }
    },
    get mediaType() {
      return toMediaType(readAll(headers, 'content-type')[0] ?? '') || undefined;
    },
  };
}

/** Headers in the order and case of the wire; a repeated one stands repeatedly. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Headers as a check writes them. */
export type HeaderInput = Record<string, string | readonly string[] | undefined> | HeaderList;

/** Every value of a header, in order. Names are compared without case. */
export function readAll(headers: HeaderList, name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

export function toHeaderList(input: HeaderInput = []): HeaderList {
  if (isList(input)) return input;
  return Object.entries(input).flatMap(([name, value = []]) =>
    [value].flat().map((item) => [name, item] as const),
  );
}

/** The headers of `added` in place of those of the same name, and the others as they are. */
export function withHeaders(headers: HeaderList, added: HeaderList): HeaderList {
  const names = new Set(added.map(([name]) => name.toLowerCase()));
  return [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...added];
}

/** Headers by name; the values of one that is repeated are a list. */
export function toHeaderRecord(headers: HeaderList): Record<string, string | string[]> {
  const record = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const before = record.get(name);
    record.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(record);
}

/** Node's `rawHeaders`, names and values in turn, as pairs. */
export function fromRawHeaders(raw: readonly string[]): HeaderList {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : [],
  );
}

function isList(input: HeaderInput): input is HeaderList {
  return Array.isArray(input);
}

/** Bytes of a request as HTTP/1.1 writes it: the request line, the headers and the body. */
export function toSentSize({ method, url, headers, body }: Sent): number {
  const { pathname, search } = splitTarget(url);
  const target = search === '' ? pathname : `${pathname}?${search}`;
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.byteLength(`${lines.join('\r\n')}\r\n\r\n`) + body.length;
}

/**
 * Path and query of an address that an answer holds, as they are written there. Only what no request
 * line may have, a space or a letter outside ASCII, is percent-encoded.
 */
export function toTarget(url: string): string {
  const { pathname, search } = splitTarget(url);
  const target = (pathname || '/') + (search === '' ? '' : `?${search}`);
  const [sent = ''] = target.split('#', 1);
  return sent.replace(/[^\u0021-\u007e]/gu, encodeURIComponent);
}

/** A request as it is sent. Header names are as written, values one string each. */
export interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Text; base64 where the bytes are no UTF-8, see `bodyEncoding`. */
  body: string;
  /** Default: `utf-8`. */
  bodyEncoding?: 'utf-8' | 'base64';
  /** Size of the whole body in bytes, where `body` is only its beginning. */
  bodySize?: number;
}

/** An answer as it came. Header names are lower case. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  /** Text; base64 where the bytes are no UTF-8, see `bodyEncoding`. */
  body: string;
  bodyEncoding: 'utf-8' | 'base64';
  /** Size of the whole body in bytes, where `body` is only its beginning. */
  bodySize?: number;
}

/** One header of an answer; several of one name are joined as RFC 9110, section 5.2 says. */
export function readHeader(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** Path and query of an absolute URL as they are written; `URL` would rewrite some of them. */
export function splitTarget(url: string): { pathname: string; search: string } {
  const target = url.replace(/^\w+:\/\/[^/?#]*/, '');
  const mark = target.indexOf('?');
  if (mark < 0) return { pathname: target, search: '' };
  return { pathname: target.slice(0, mark), search: target.slice(mark + 1) };
}
