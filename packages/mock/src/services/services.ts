import type { GatewayCall, GatewayInput, ServiceResponse } from '@berth/server-stubs';
import type { Params } from './routes.ts';

export interface MockedResponse extends ServiceResponse {
  /**
   * Whether no route of the service matched. The response is then a 404, or a 405 if a route matches another
   * method.
   */
  readonly unmatched?: true;
}

/** A call that matched a route. */
export interface RouteContext {
  readonly input: GatewayInput;
  readonly call: GatewayCall;
  readonly params: Params;
  readonly memory: () => Map<string, unknown>;
  readonly report: (error: unknown) => void;
}

export type RouteHandler = (context: RouteContext) => MockedResponse | Promise<MockedResponse>;

/** A response from the service itself to a call that it cannot handle, with a message for the developer. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Creates the response `{ "message": … }` for a call that the service rejects. It is not a gateway error,
 * which would have a code and a request ID.
 */
export function toMessageResponse(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): MockedResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message }),
  };
}
