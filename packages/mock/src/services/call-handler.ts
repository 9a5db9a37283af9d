import { hasResponse } from '@berth/server-stubs/contract';

/**
 * Calls a Fetch handler, whose response may be of another class in environments that imitate a page.
 *
 * @param report receives the errors of the handler, which the caller does not see
 * @throws GatewayError that the handler throws, or the error of a body that is too large; any other error is a response
 *   with the status 500
 */
export async function callHandler(
  name: string,
  handle: (request: Request) => unknown,
  request: Request,
  report: (error: unknown) => void,
): Promise<Response> {
  try {
    const response = await handle(request);
    if (!isResponse(response)) {
      throw new TypeError('return a Response, such as Response.json({ … }).');
    }
    if (response.bodyUsed || response.body?.locked)
      throw new TypeError('create a new Response for each call.');
    return response;
  } catch (error) {
    if (hasResponse(error)) throw error;
    report(error);
    const message = `The service ${name} failed: ${describe(error)}`;
    return Response.json({ message }, { status: 500 });
  }
}

/** A service may throw anything. */
function describe(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : Object.prototype.toString.call(error);
}

function isResponse(value: unknown): value is Response {
  return typeof (value as Partial<Response> | undefined)?.arrayBuffer === 'function';
}
