/** What `create-services.ts` and the kinds of service agree on. Each `…-service.ts` creates a `RunningService`. */
import type {
  GatewayCall,
  GatewayInput,
  ServiceResponse,
  WebSocketResponse,
} from '@berth/server-stubs';
import type { Watch } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';

export interface ServiceContext {
  readonly name: string;
  /** Restarts all services when the file changes. Call it before the file is read. */
  readonly watch: Watch;
  readonly options: ResolvedOptions;
}

/** A call to a service, without credentials and the headers for the mock. */
export interface ServiceInput extends GatewayInput {
  /** Aborted when the caller disconnects, or when the service has not responded in time. */
  readonly signal: AbortSignal;
  /** Whether the caller asks for a WebSocket. Any response other than 101 rejects it. */
  readonly isUpgrade: boolean;
}

/** A service that has started. It owns no resources, such as timers or listening sockets, because nothing closes it. */
export interface RunningService {
  /** Handles a call, whose body need not be read. The gateway adds its own headers, such as `X-Request-Id`. */
  serve(
    input: ServiceInput,
    call: GatewayCall,
  ): ServiceResponse | WebSocketResponse | Promise<ServiceResponse | WebSocketResponse>;
  /** Whether the service responds to `Prefer` itself. Default: the caller gets the contract's response. */
  readonly handlesPrefer?: boolean;
}
