import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayHandlers,
  type ServiceResponse,
  type WireProfile,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/engine/node';
import { callVersion } from './call-version.ts';
import { type CallService, createWebSocketHandler } from './create-web-socket-handler.ts';
import { assertCallable, chooseVersion, findService } from './find-service.ts';
import { type Pool, Upstreams } from './pool.ts';
import type { Service, ServiceRegistry } from './registry/service-registry.ts';
import { toBody } from './service-body.ts';
import { createSpool } from './spools.ts';
import { toServiceHeaders } from './to-service-headers.ts';

export interface GatewayOptions {
  /** Finds services. No other address is ever called, and redirects are not followed. */
  readonly registry: ServiceRegistry;
  readonly headersSeconds: number;
  readonly maxHeaderBytes: number;
  /** How many bytes of a signed body to keep in memory; larger ones go to a temporary file (D13). */
  readonly spoolBytes: number;
  readonly trustProxy: boolean;
  readonly wireProfile: WireProfile;
  /**
   * Called for each call and WebSocket after authentication, before anything else is done. Throws a
   * `GatewayError` to reject it.
   */
  readonly beforeCall?: (
    call: GatewayCall<Caller>,
    /** Closes when the call or the WebSocket is over. */
    held: Socket | ServerResponse,
  ) => void | Promise<void>;
  readonly now?: () => number;
}

/**
 * Creates the reverse proxy to hosted services. The response is streamed: only signed bodies (D13) and, up to a
 * limit, bytes that a service has not yet read are buffered. Nothing is decoded in either direction (D3, D7).
 *
 * The service gets no credentials, because with them it could call other services or the storage API in the
 * caller's name. An unrequested `100 Continue` counts as broken, because the HTTP client never sends `Expect` and
 * closes such a connection. Other interim responses are accepted and not forwarded.
 */
export function createGateway(options: GatewayOptions) {
  const {
    registry,
    headersSeconds,
    maxHeaderBytes,
    spoolBytes,
    trustProxy,
    wireProfile,
    beforeCall,
    now = () => performance.now(),
  } = options;
  const credentials = new Set(
    Object.values(wireProfile.storageHeaders).map((name) =>
      name.toLowerCase().replaceAll('_', '-'),
    ),
  );
  const upstreams = new Upstreams(now, maxHeaderBytes);
  const starts = createStarts(now);
  const spool = createSpool(spoolBytes, now);

  const callService: CallService = async (input, call, upgrade) => {
    const { request, response, env, caller } = call;
    const body = await toBody(input, call, spool, addressOf(request, trustProxy));
    if (body.dispose !== undefined) whenOver(call, body.dispose);
    // The caller is authenticated only now, because a signature covers the body.
    await beforeCall?.(call, upgrade === undefined ? response : request.socket);
    const service = await findService(registry, env, input.name);
    assertCallable(service, caller);
    const headers = toServiceHeaders(input, request, {
      credentials,
      isUpgrade: upgrade !== undefined,
      isProxyTrusted: trustProxy,
    });
    if (body.length !== undefined) headers.push('content-length', String(body.length));
    const { target, method } = input;
    const common = { target, method, headers, body: body.content, upgrade, response };
    const callOnce = (found: Service) => {
      const pool = upstreams.poolOf(chooseVersion(found), found);
      assertCapacity(found, pool);
      const { timeouts } = found;
      const headersMilliseconds = (timeouts?.headersSeconds ?? headersSeconds) * 1000;
      const idleMilliseconds = (timeouts?.idleSeconds ?? 0) * 1000;
      const mayStart = (found.startSeconds ?? 0) > 0;
      return callVersion({ ...common, headersMilliseconds, idleMilliseconds, mayStart }, pool);
    };
    if (!service.startSeconds) return callOnce(service);
    return starts.wait(service, call, async () =>
      callOnce(await findService(registry, env, input.name)),
    );
  };

  const handler: GatewayHandler<Caller> = (input, call) =>
    callService(input, call, undefined) as Promise<ServiceResponse>;
  const webSockets = createWebSocketHandler(callService);
  return {
    handlers: {
      'cloudrun-get-root': handler,
      'cloudrun-post-root': handler,
      'cloudrun-get': handler,
      'cloudrun-post': handler,
      webSocket: webSockets.handler,
    } satisfies GatewayHandlers<Caller>,
    /** Current activity; `waiting` are calls that wait for an endpoint, or for a service to start. */
    stats: () => ({
      webSockets: webSockets.size,
      waiting: upstreams.waiting + starts.waiting,
      endpoints: Array.from(upstreams, ({ stats }) => stats),
    }),
    /** Closes idle connections and every WebSocket. Calls in flight finish on their own. */
    close() {
      webSockets.close();
      upstreams.close();
    },
  };
}

/** Returns the address of a caller. */
export function addressOf({ headers, socket }: IncomingMessage, isProxyTrusted: boolean): string {
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

/** A slow service must not use up the memory and connections of all others. */
function assertCapacity({ maxCalls = Infinity }: Service, { targets }: Pool): void {
  const calls = targets.reduce((sum, { upstream }) => sum + upstream.outstanding, 0);
  if (calls >= maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
}

const PAUSE_MILLISECONDS = 100;

const STARTING: readonly string[] = ['SERVICE_NOT_READY', 'SERVICE_ENDPOINT_NOT_FOUND'];

/** Creates the calls that wait for a service to start. They count towards its `maxCalls`. */
function createStarts(now: () => number) {
  const byService = new Map<string, number>();
  const count = (key: string, change: number) => {
    const left = (byService.get(key) ?? 0) + change;
    if (left === 0) byService.delete(key);
    else byService.set(key, left);
  };
  return {
    get waiting() {
      return byService.values().reduce((sum, each) => sum + each, 0);
    },
    /**
     * Repeats the attempts of a call until one succeeds, or until the service has had its time to start. An attempt
     * must not fail with one of the codes above if it has sent anything.
     */
    async wait<T>(
      { env, name, startSeconds = 0, maxCalls = Infinity }: Service,
      { response, signal }: GatewayCall<Caller>,
      attempt: () => Promise<T>,
    ): Promise<T> {
      const key = `${env}/${name}`;
      const until = now() + startSeconds * 1000;
      let isWaiting = false;
      try {
        for (;;) {
          try {
            return await attempt();
          } catch (cause) {
            if (!isStarting(cause) || response.destroyed) throw cause;
            if (now() >= until) throw new GatewayError('SERVICE_NOT_READY', { cause });
          }
          if (!isWaiting) {
            if ((byService.get(key) ?? 0) >= maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
            count(key, 1);
            isWaiting = true;
          }
          // Ends early if the caller disconnects.
          await pause(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => {});
        }
      } finally {
        if (isWaiting) count(key, -1);
      }
    },
  };
}

function isStarting(error: unknown): boolean {
  return error instanceof GatewayError && STARTING.includes(error.code);
}
