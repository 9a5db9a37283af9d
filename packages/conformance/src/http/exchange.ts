import { MIMEType } from 'node:util';
import { parseJson, toFields } from '../json.ts';
import { isClosed, NetworkError } from './connection.ts';

/** Maximum size of a response body in bytes. It exceeds the size of any response that the suite requests. */
export const MAX_BODY = 33 * 2 ** 20;

/** What makes a call. */
export interface CallMaker {
  /** ID of the check, transaction or workflow that makes the call; of the first, for a call set. */
  madeBy?: string | undefined;
  /** Whether it stores files, which the run then removes. */
  storesFiles?: boolean | undefined;
}

export interface Call extends CallMaker {
  method: string;
  /** Absolute URL. What follows the host is sent exactly as written. */
  url: string;
  /** The caller adds `Host` and `Content-Length` if they are missing. */
  headers: HeaderList;
  body: Buffer;
  /** Send the body in pieces; without chunked encoding, the length of `body` is announced. */
  stream?: (() => AsyncIterable<Uint8Array>) | undefined;
  keep429?: boolean | undefined;
  onOneConnection?: boolean;
}

export type Received = ReturnType<typeof toReceived>;

export interface Exchange {
  sent: Call;
  received: Received;
}

export async function* readBody(response: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > MAX_BODY) {
      throw new NetworkError(`the response exceeds ${MAX_BODY} bytes`, 'TOO_LARGE');
    }
    yield chunk;
  }
}

const EMPTY: Buffer = Buffer.alloc(0);

/** Reads a response to its end, or to where its connection was closed inside the body. */
export async function receive(
  status: number,
  headers: HeaderList,
  chunks: AsyncIterable<Buffer>,
): Promise<Received> {
  const pieces: Buffer[] = [];
  let isCut = false;
  try {
    for await (const piece of chunks) pieces.push(piece);
  } catch (error) {
    isCut = isClosed(error);
    if (!isCut) throw error;
  }
  return toReceived(status, headers, Buffer.concat(pieces), isCut);
}

export function toReceived(status: number, headers: HeaderList, body = EMPTY, isCut = false) {
  let parsed: { json: unknown } | undefined;
  return {
    status,
    headers,
    body,
    /** Whether the connection was closed inside the body. */
    isCut,
    /** All values of a header, joined by `, ` (RFC 9110, section 5.2); `undefined` if absent. */
    header(name: string): string | undefined {
      const values = readAll(headers, name);
      return values.length === 0 ? undefined : values.join(', ');
    },
    get text(): string {
      return body.toString();
    },
    /** The body as JSON, whatever its content type; `undefined` if it is not JSON. */
    get json(): unknown {
      parsed ??= { json: parseJson(body) };
      return parsed.json;
    },
    /** The fields of a body that is a JSON object; none of any other. */
    get fields() {
      return toFields(this.json);
    },
    /** In lower case, without parameters; `undefined` without a content type. */
    get mediaType(): string | undefined {
      return toMediaType(readAll(headers, 'content-type')[0] ?? '') || undefined;
    },
  };
}

/** Headers in the order and case in which they are sent. A repeated header has an entry for each value. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

export type HeaderInput = Record<string, string | readonly string[] | undefined> | HeaderList;

/** Whether two header names are the same: they are case-insensitive (RFC 9110, section 5.1). */
export function isNamed(key: string, name: string): boolean {
  return key.toLowerCase() === name.toLowerCase();
}

export function readAll(headers: HeaderList, name: string): string[] {
  return headers.filter(([key]) => isNamed(key, name)).map(([, value]) => value);
}

export function toHeaderList(input: HeaderInput = []): HeaderList {
  if (Array.isArray(input)) return input;
  return Object.entries(input).flatMap(([name, value = []]) =>
    [value].flat().map((item) => [name, item] as const),
  );
}

export function withHeaders(headers: HeaderList, added: HeaderList): HeaderList {
  const kept = headers.filter(([key]) => !added.some(([name]) => isNamed(key, name)));
  return [...kept, ...added];
}

export function toHeaderRecord(headers: HeaderList): Record<string, string | string[]> {
  const values = Map.groupBy(headers, ([name]) => name);
  return Object.fromEntries(
    [...values].map(([name, entries]) => {
      const all = entries.map(([, value]) => value);
      return [name, all.length > 1 ? all : all.join()];
    }),
  );
}

export function fromRawHeaders(raw: readonly string[]): HeaderList {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : [],
  );
}

export function isWebUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[^/?#]/i.test(value) && URL.canParse(value);
}

/** Only spaces and non-ASCII letters, which are invalid in a request line, are percent-encoded. */
export function toCallUrl(url: string): string {
  const { pathname, search } = splitTarget(url.replace(/#.*/s, ''));
  const target = (pathname || '/') + (search === '' ? '' : `?${search}`);
  const sent = target.toWellFormed().replace(/[^\u0021-\u007e]/gu, encodeURIComponent);
  return new URL(url).origin + sent;
}

/** Returns the path and query of an absolute URL exactly as written, because `URL` would normalize them. */
export function splitTarget(url: string): { pathname: string; search: string } {
  const [pathname = '', ...query] = toTarget(url).split('?');
  return { pathname, search: query.join('?') };
}

export function toTarget(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*/, '');
}

/** The media type of an event stream (HTML, section 9.2). */
export const EVENT_STREAM = 'text/event-stream';

/** Returns the `type/subtype` of a Content-Type in lower case, without parameters (RFC 9110, section 8.3.1). */
export function toMediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

/**
 * Normalizes a Content-Type (RFC 9110, sections 5.6.6 and 8.3.1): the type, the parameter names and the charset are in
 * lower case, and optional quotes, escapes and spaces are removed. An invalid one is returned as is.
 */
export function toPlainType(contentType: string): string {
  try {
    const { essence, params } = new MIMEType(contentType);
    const parameters = [...params].map(([name, value]) => {
      return `; ${name}=${name === 'charset' ? value.toLowerCase() : value}`;
    });
    return essence + parameters.join('');
  } catch {
    return contentType;
  }
}
