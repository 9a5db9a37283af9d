import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Duplex, pipeline } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { type GatewayCall, GatewayError } from '@berth/server-stubs';
import type { RunningService, ServiceInput } from './running-service.ts';

/** A URL, and not a path. If the scheme is missing (`127.0.0.1:3000`), `toServiceUrl` throws an error that says so. */
export const ADDRESS = /^([a-z][a-z\d+.-]*:\/\/|[\w.-]+:\d+(\/|$))/i;

/** @throws TypeError unless a real service can have this address */
export function toServiceUrl(address: string): URL {
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '') return url;
  throw new TypeError(`use a URL such as http://127.0.0.1:3000, without a query, got ${address}.`);
}

/**
 * Forwards calls to a real service with `X-Forwarded-*` headers, and streams both bodies.
 *
 * @param connect opens the connection of a call. Default: to the URL
 */
export function createUrlService(
  base: URL,
  connect?: (call: GatewayCall) => Duplex,
): RunningService {
  return {
    handlesPrefer: true,
    async serve(input, call) {
      const request = toRequest(base, input, call, connect?.(call));
      const received = receive(request, base, input.signal);
      if (input.body === undefined) request.end();
      // `pipeline` would destroy the caller's request if the service responds without reading all of it.
      else input.body.on('error', (error) => request.destroy(error)).pipe(request);
      const { response, connection: service, head } = await received;
      const { statusCode: status = 0, headersDistinct: headers } = response;
      // Once the response closes, nothing needs the connection to the service.
      const closeUnused = () => (service ?? request).destroy();
      call.response.once('close', closeUnused);
      if (service === undefined) return { status, headers, body: response };
      return {
        status: 101,
        headers,
        open(caller, firstBytes) {
          call.response.off('close', closeUnused);
          if (head !== undefined && head.length > 0) service.unshift(head);
          if (firstBytes.length > 0) caller.unshift(firstBytes);
          // If either side fails, both are closed.
          pipeline(caller, service, caller, () => {});
        },
      };
    },
  };
}

function toRequest(
  base: URL,
  input: ServiceInput,
  { request }: GatewayCall,
  connection: Duplex | undefined,
): ClientRequest {
  const { host: _, ...headers }: Record<string, string | string[]> = input.headers;
  for (const [name, lines = []] of Object.entries(request.headersDistinct)) {
    // Node joins the lines of a header that is repeated.
    if (lines.length > 1 && headers[name] === lines.join(', ')) headers[name] = lines;
  }
  const send = base.protocol === 'https:' ? requestHttps : requestHttp;
  return send({
    ...urlToHttpOptions(base),
    path: base.pathname.replace(/\/$/, '') + input.target,
    method: input.method,
    signal: input.signal,
    // Without an agent, no connection stays open.
    ...(connection === undefined ? { agent: false } : { createConnection: () => connection }),
    headers: {
      ...headers,
      // A service that closes the connection before it has read the body could lose its response.
      ...(connection === undefined && { connection: 'keep-alive' }),
      'x-forwarded-for': request.socket.remoteAddress ?? 'unknown',
      'x-forwarded-proto': 'http',
      ...(request.headers.host !== undefined && { 'x-forwarded-host': request.headers.host }),
      ...(input.isUpgrade && { connection: 'Upgrade', upgrade: 'websocket' }),
    },
  });
}

/** Returns the response: for a 101, with its connection, and the first bytes on it. */
function receive(
  request: ClientRequest,
  base: URL,
  signal: AbortSignal,
): Promise<{ response: IncomingMessage; connection?: Duplex; head?: Buffer }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(signal.aborted ? error : toGatewayError(error, base));
    request.on('error', fail);
    request.once('response', (response) => {
      if (response.statusCode === 101) request.destroy(new Error('101 without a protocol'));
      else resolve({ response });
    });
    request.once('upgrade', (response, connection, head) => {
      const { upgrade = '' } = response.headers;
      if (request.getHeader('upgrade') === upgrade.toLowerCase()) {
        return resolve({ response, connection, head });
      }
      connection.destroy();
      fail(new Error(`an upgrade to ${upgrade} that was not requested`));
    });
  });
}

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ETIMEDOUT'];

function toGatewayError(cause: NodeJS.ErrnoException, { origin }: URL): GatewayError {
  const { code = '', message } = cause;
  const [name, reason] = UNREACHABLE.includes(code)
    ? ['SERVICE_LB_STATUS_ABNORMAL', `cannot be reached: ${code}.`]
    : ['BAD_GATEWAY', `did not send a valid response: ${message || code}.`];
  return new GatewayError(name, { message: `The real service ${origin} ${reason}`, cause });
}
