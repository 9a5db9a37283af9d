import type { GatewayCall, WireProfile } from '@berth/server-stubs';
import type { Caller } from '../auth/caller.ts';
import type { ServiceRegistry } from './service-registry.ts';

/** How the gateway reaches hosted services. */
export interface GatewayOptions {
  /** Says where the services are. No other address is ever called, and no redirect is followed. */
  readonly registry: ServiceRegistry;
  /** Seconds that a service has until its response headers, then `SERVICE_TIMEOUT`. Default 60 (D13). */
  readonly headersSeconds?: number;
  /** Seconds until a connection that does not come about counts as failed. Default 5. */
  readonly connectSeconds?: number;
  /** Bytes of a signed body that are held in memory; more go to a temporary file. Default 1 MiB (D13). */
  readonly spoolBytes?: number;
  /**
   * Whether the proxy before this server may say for whom it calls, by `X-Forwarded-*`. Default false. With
   * true and no such proxy, every caller can pretend to come from any address.
   */
  readonly trustProxy?: boolean;
  /** Names the headers that sign calls of the storage API: no service gets to see them. Default: the contract's. */
  readonly wireProfile?: WireProfile;
  /**
   * Asked for each call and WebSocket once it is sure who calls, before anything else is done for it; throws
   * a `GatewayError` to refuse.
   */
  readonly admit?: (call: GatewayCall<Caller>) => void;
  /** Milliseconds of a clock that never goes back. Default `performance.now`. */
  readonly now?: () => number;
}
