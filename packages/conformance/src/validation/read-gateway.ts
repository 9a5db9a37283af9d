import type { Exchange, HeaderList, Received } from '../http/exchange.ts';

/** A request as the fixture service received it. */
export interface Echo {
  protocol: number;
  method: string;
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

/** Whether a response is the gateway's own error: with `requestId` in the body equal to `X-Request-Id` (D10). */
export function isGatewayError({ status, json, header }: Received): boolean {
  const id = header('x-request-id');
  if (status < 400 || id === undefined) return false;
  const { code, message, requestId } = Object(json);
  return code !== undefined && message !== undefined && requestId === id;
}

export function codeOf({ json }: Received): string | undefined {
  const { code } = Object(json);
  return typeof code === 'string' ? code : undefined;
}

/** Whether a body looks like the gateway's error: an object with `code`, `message` or `requestId`. */
export function hasErrorBody({ json }: Received): boolean {
  const { code, message, requestId } = Object(json);
  return [code, message, requestId].some((value) => value !== undefined);
}
