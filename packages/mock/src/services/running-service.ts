import type {
  GatewayCall,
  GatewayInput,
  ServiceResponse,
  WebSocketResponse,
} from '@berth/server-stubs';

/** A hosted service that is ready to be called. */
export interface RunningService {
  call(input: GatewayInput, call: GatewayCall): ServiceResponse | Promise<ServiceResponse>;
  /** Opens a WebSocket. Default: the response of `call`, which refuses it. */
  open?(
    input: GatewayInput,
    call: GatewayCall,
  ): Promise<WebSocketResponse | ServiceResponse> | WebSocketResponse | ServiceResponse;
  /** Whether the responses come from an OpenAPI document, which has its own for `Prefer`. */
  readonly isDocument?: boolean;
}

export type ServiceHeaders = Readonly<Record<string, string | string[]>>;

/** Returns the headers for a service: those for the mock are left out. */
export function toServiceHeaders({ headers }: GatewayInput): ServiceHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('x-mock-')),
  );
}

/** A services file, or a service in it, that cannot be used. The message says where, and how to fix it. */
export class ServicesError extends Error {
  override readonly name = 'ServicesError';
}
