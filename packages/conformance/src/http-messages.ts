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

/** What Dredd makes of the examples, before it is known where it goes. */
export type Drafted = Omit<SentRequest, 'url'>;

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
