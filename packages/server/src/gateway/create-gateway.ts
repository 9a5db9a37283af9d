import type { IncomingMessage } from 'node:http';
import {
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayHandlers,
  type ServiceResponse,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import type { WireProfile } from '@berth/spec/wire-profile';
import { callVersion } from './call-version.ts';
import { type CallService, createWebSocketHandler } from './create-web-socket-handler.ts';
import { Upstreams } from './pool.ts';
import { toBody } from './service-body.ts';
import { chooseVersion, findService, type Services } from './services.ts';
import { createSpool } from './spools.ts';
import { toServiceHeaders } from './to-service-headers.ts';

export interface GatewayOptions {
  /** Only their addresses are ever called, and redirects are not followed. */
  readonly services: Services;
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
  readonly beforeCall?: (call: GatewayCall<Caller>) => void | Promise<void>;
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
    services,
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
  const upstreams = new Upstreams(maxHeaderBytes);
  const spool = createSpool(spoolBytes, now);

  const callService: CallService = async (input, call, upgrade) => {
    const { request, response, env, caller } = call;
    const body = await toBody(input, call, spool, addressOf(request, trustProxy));
    if (body.dispose !== undefined) whenOver(call, body.dispose);
    // The caller is authenticated only now, because a signature covers the body.
    await beforeCall?.(call);
    const service = findService(services, env, input.name, caller);
    const headers = toServiceHeaders(input, request, {
      credentials,
      isUpgrade: upgrade !== undefined,
      isProxyTrusted: trustProxy,
    });
    if (body.length !== undefined) headers.push('content-length', String(body.length));
    const pool = upstreams.poolOf(chooseVersion(service));
    // A slow service must not use up the memory and connections of all others.
    if (pool.outstanding >= service.maxCalls) throw new GatewayError('EXCEED_RATELIMIT');
    const headersMilliseconds = (service.headersSeconds ?? headersSeconds) * 1000;
    const { target, method } = input;
    const ready = { target, method, headers, body: body.content, upgrade, response };
    return callVersion({ ...ready, headersMilliseconds }, pool);
  };

  const call: GatewayHandler<Caller> = (input, context) =>
    callService(input, context, undefined) as Promise<ServiceResponse>;
  const webSockets = createWebSocketHandler(callService);
  return {
    handlers: { call, webSocket: webSockets.handler } satisfies GatewayHandlers<Caller>,
    /** Current activity. */
    stats: () => ({
      webSockets: webSockets.size,
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
