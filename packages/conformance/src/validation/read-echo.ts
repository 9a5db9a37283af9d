import type { Exchange, HeaderList } from '../http/exchange.ts';

/** A request as the fixture service received it. */
export interface Echo {
  method: string;
  /** Path and query as received. */
  target: string;
  headers: HeaderList;
  body: { size: number; sha256: string; base64?: string };
}

/** Returns the echo in a response, or `undefined` if the fixture service did not send it. */
export function readEcho({ received: { json } }: Pick<Exchange, 'received'>): Echo | undefined {
  const echo = Object(json);
  const isEcho = echo.fixture === 'berth-conformance' && typeof echo.target === 'string';
  return isEcho ? echo : undefined;
}
