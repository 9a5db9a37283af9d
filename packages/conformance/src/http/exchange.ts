import { type HeaderList, readAll } from './header-list.ts';

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
      const [type] = (readAll(headers, 'content-type')[0] ?? '').split(';');
      return type?.trim().toLowerCase() || undefined;
    },
  };
}
