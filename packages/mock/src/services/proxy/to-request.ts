import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { RouteContext } from '../answers/route-context.ts';
import { toServiceHeaders } from '../answers/to-service-headers.ts';

type Headers = Readonly<Record<string, string | string[]>>;

/** Begins a call to a real service: path and query leave as they came, behind the path of `base`. */
export function toRequest(
  base: URL,
  { input, call }: RouteContext,
  further: Headers = {},
): ClientRequest {
  const { request } = call;
  const { host: _host, ...headers } = toServiceHeaders(input);
  const send = base.protocol === 'https:' ? requestHttps : requestHttp;
  return send({
    protocol: base.protocol,
    // The brackets of an IPv6 address belong to the URL alone.
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port,
    path: base.pathname.replace(/\/$/, '') + input.target,
    method: input.method,
    agent: false,
    signal: call.signal,
    headers: {
      ...headers,
      'x-forwarded-for': request.socket.remoteAddress ?? 'unknown',
      'x-forwarded-proto': (request.socket as Partial<TLSSocket>).encrypted ? 'https' : 'http',
      ...(request.headers.host !== undefined && { 'x-forwarded-host': request.headers.host }),
      ...further,
    },
  });
}
