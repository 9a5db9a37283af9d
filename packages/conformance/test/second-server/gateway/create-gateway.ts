import { Agent, createServer, type IncomingMessage, type Server } from 'node:http';
import { limits } from '../choices.ts';
import { readBody } from '../http/listen.ts';
import { authorize, type GatewaySettings } from './authorize.ts';
import { forward } from './forward.ts';
import { type RefusalCode, toRefusal, toRefusalText } from './refusals.ts';
import { upgrade } from './upgrade.ts';

/** The gateway: `/v1/cloudrun/{name}/{anyPath}` of one environment. */
export function createGateway(settings: GatewaySettings): Server {
  const agent = new Agent({ keepAlive: false });
  const isWebSocket = ({ method, headers }: IncomingMessage) =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  const options = { requireHostHeader: false, shouldUpgradeCallback: isWebSocket };

  const server = createServer(options, async (request, response) => {
    const id = settings.nextRequestId();
    const refuse = (code: RefusalCode) => {
      const { status, headers, body } = toRefusal(code, id);
      response.writeHead(status, headers).end(body);
    };
    const body = await readBody(request, limits.gatewayBodyBytes).catch(() => null);
    if (body === null) return;
    if (body === undefined) return refuse('BODY_TOO_BIG');
    const authorized = authorize(request, body, settings);
    if (typeof authorized === 'string') return refuse(authorized);
    forward(authorized, { request, body, id, agent }, response, refuse);
  });

  server.on('upgrade', (request, socket, head) => {
    const id = settings.nextRequestId();
    const refuse = (code: RefusalCode) => socket.end(toRefusalText(code, id));
    socket.on('error', () => socket.destroy());
    const authorized = authorize(request, Buffer.alloc(0), settings);
    if (typeof authorized === 'string') refuse(authorized);
    else upgrade(authorized, { request, id, socket, head }, refuse);
  });

  // X-Request-Id is on every gateway response (D9), even if the request is not HTTP.
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end(toRefusalText('BAD_REQUEST', settings.nextRequestId()));
  });
  server.on('close', () => agent.destroy());
  return server;
}
