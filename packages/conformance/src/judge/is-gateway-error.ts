/**
 * Whether an answer is an error of the gateway itself and not one of the hosted service: its body has
 * `code`, `message` and `requestId`, the last equal to `X-Request-Id` (D10).
 *
 * @param json the body as JSON; `undefined` where it is none
 * @param header value of `X-Request-Id`
 */
export function isGatewayError(status: number, json: unknown, header: string | undefined): boolean {
  if (status < 400 || header === undefined) return false;
  const { code, message, requestId } = Object(json);
  return code !== undefined && message !== undefined && requestId === header;
}
