import { HttpResponse } from 'msw';
import { GATEWAY_ERRORS } from '../../generated/msw.gen.ts';
import { type ErrorArguments, toError } from '../error-options.ts';

const refusals = new WeakSet<Response>();

/** Whether an answer was made by {@link gatewayError}: it is the gateway's own, no service's. */
export function isRefusal(response: Response): boolean {
  return refusals.has(response);
}

/**
 * An error of the gateway itself, with the status, the text, `Retry-After` and the request identifier
 * that belong to its code (D6).
 *
 * @example
 * server.use(berth.service('hello').get('greet', () => gatewayError('SERVICE_NOT_READY')));
 */
export function gatewayError(...[code, options]: ErrorArguments<typeof GATEWAY_ERRORS>): Response {
  const { status, message, requestId, headers } = toError(GATEWAY_ERRORS, code, options);
  const response = HttpResponse.json({ code, message, requestId }, { status, headers });
  refusals.add(response);
  return response;
}
