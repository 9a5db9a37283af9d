import type { IncomingMessage } from 'node:http';
import {
  defaultWireProfile,
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayHandlers,
  type ServiceAnswer,
  type WireProfile,
} from '@berth/server-stubs';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { Caller } from '../auth/caller.ts';
import { callVersion } from './call-version.ts';
import { type Target, Upstreams } from './choose-upstream.ts';
import { type CallService, createWebSocketHandler } from './create-web-socket-handler.ts';
import { assertCallable, chooseVersion, findService } from './find-service.ts';
import type { Service, ServiceRegistry } from './registry/service-registry.ts';
import { toBody } from './service-body.ts';
import { Spools } from './spools.ts';
import { toServiceHeaders } from './to-service-headers.ts';
import type { UpstreamStats } from './upstream.ts';

const { gatewayHeadersSeconds, gatewaySpoolBytes } = defaults.limits;
const CONNECT_SECONDS = 5;

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

/** What the gateway is doing now. */
interface GatewayStats {
  /** WebSockets that are open. */
  readonly webSockets: number;
  /** Endpoints that were called and are still known. */
  readonly endpoints: readonly UpstreamStats[];
}

/** The gateway behind `createGatewayRouter`. */
export interface Gateway {
  readonly handlers: GatewayHandlers<Caller>;
  stats(): GatewayStats;
  /** Ends idle connections and every WebSocket. Calls that still run end in their own time. */
  close(): void;
}

/**
 * Makes the reverse proxy to hosted services.
 *
 * A call goes to one version by weight, there to the endpoint with the fewest calls, and comes back as a
 * stream: nothing is buffered but a signed body (D13) and, within a limit, what a service has not yet taken of
 * another one; nothing is decoded, on neither way (D3, D7).
 *
 * What the service gets: the raw target after the name; `Host` of its own endpoint; the caller's headers
 * without those of the connection and without credentials, which would let it call other services, or the
 * storage API, in the caller's name; `X-Request-Id`; and `X-Forwarded-For`, `-Proto` and `-Host`.
 *
 * A service behind `https:` must show a certificate of its host, or of the endpoint's `servername`, from an
 * authority that Node knows; name others with `NODE_EXTRA_CA_CERTS`. There is no way to go without.
 *
 * A service that sends `100 Continue` unasked, as RFC 9110, section 15.2 allows it to, counts as broken
 * (`BAD_GATEWAY`): the HTTP client ends such a connection, and it is never told to expect one. Other interim
 * answers are taken and not passed on.
 *
 * @example
 * const gateway = createGateway({ registry });
 * const router = createGatewayRouter(gateway.handlers, { security });
 * createServer({ shouldUpgradeCallback: router.shouldUpgrade }, router).on('upgrade', router.upgrade);
 */
export function createGateway(options: GatewayOptions): Gateway {
  const {
    registry,
    headersSeconds = gatewayHeadersSeconds.value,
    connectSeconds = CONNECT_SECONDS,
    spoolBytes = gatewaySpoolBytes.value,
    trustProxy = false,
    wireProfile = defaultWireProfile,
    admit,
    now = () => performance.now(),
  } = options;
  const credentials = new Set(
    Object.values(wireProfile.storageHeaders).map((name) =>
      name.toLowerCase().replaceAll('_', '-'),
    ),
  );
  const upstreams = new Upstreams(connectSeconds * 1000, now);
  const spools = new Spools(spoolBytes, now);

  const callService: CallService = async (input, call, upgrade) => {
    const { request, response, env, caller } = call;
    const body = await toBody(input, call, spools, addressOf(request, trustProxy));
    if (body.dispose !== undefined) whenOver(call, body.dispose);
    // Only now is it sure who calls: a signature covers the body.
    admit?.(call);
    const service = await findService(registry, env, input.name);
    assertCallable(service, caller);
    const targets = upstreams.targetsOf(chooseVersion(service));
    assertRoom(service, targets);
    const headers = toServiceHeaders(input, request, {
      credentials,
      isUpgrade: upgrade !== undefined,
      isProxyTrusted: trustProxy,
    });
    if (body.length !== undefined) headers.push('content-length', String(body.length));
    const { target, method } = input;
    const headersMilliseconds = headersSeconds * 1000;
    return callVersion(
      { target, method, headers, body: body.content, upgrade, response, headersMilliseconds },
      targets,
    );
  };

  const handler: GatewayHandler<Caller> = (input, call) =>
    callService(input, call, undefined) as Promise<ServiceAnswer>;
  const webSockets = createWebSocketHandler(callService);
  return {
    handlers: {
      'cloudrun-get-root': handler,
      'cloudrun-post-root': handler,
      'cloudrun-get': handler,
      'cloudrun-post': handler,
      webSocket: webSockets.handler,
    },
    stats: () => ({
      webSockets: webSockets.size,
      endpoints: Array.from(upstreams, ({ stats }) => stats),
    }),
    close() {
      webSockets.close();
      for (const upstream of upstreams) upstream.close();
    },
  };
}

/** Where a call comes from: with a trusted proxy the address that it has seen. */
function addressOf({ headers, socket }: IncomingMessage, isProxyTrusted: boolean): string {
  const seen = isProxyTrusted ? headers['x-forwarded-for'] : undefined;
  return String(seen ?? socket.remoteAddress)
    .split(',')
    .at(-1)
    ?.trim() as string;
}

function whenOver({ response }: GatewayCall<Caller>, dispose: () => Promise<void>): void {
  if (response.destroyed) void dispose();
  else response.once('close', dispose);
}

/** A service that falls behind must not take the memory and the connections of all others. */
function assertRoom({ maxCalls = Infinity }: Service, targets: readonly Target[]): void {
  const calls = targets.reduce((sum, { upstream }) => sum + upstream.outstanding, 0);
  if (calls >= maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
}
