import { type WebSocketHandler, type WebSocketHandlerConnection, ws } from 'msw';
import { POLICY_VIOLATION, runSocketHandler } from '../services/call-handler.ts';
import type { ServiceHandler, ServiceSocket } from '../services/service.ts';
import { ROOT, toTarget } from './gateway.ts';
import { escapePattern, report } from './handle-surface.ts';

/** Prefix of protocols that contain credentials (D14). */
const CREDENTIALS = 'berth.bearer.';

/** Creates the handler for the WebSockets of all services. MSW accepts each one before a service sees it. */
export function handleSockets(
  gatewayUrl: string,
  services: ReadonlyMap<string, ServiceHandler>,
): WebSocketHandler {
  const baseUrl = gatewayUrl.replace(/^http/, 'ws');
  const link = ws.link(new RegExp(`^${escapePattern(baseUrl + ROOT)}.*$`));
  return link.addEventListener('connection', async ({ client, info }) => {
    const { href, search } = client.url;
    const { name, rest } = toTarget(href.slice(baseUrl.length).replace(/[?#].*/, ''));
    const service = services.get(name);
    if (typeof service !== 'object' || service.webSocket === undefined) {
      client.close(POLICY_VIOLATION, `The service ${name} has no webSocket.`);
      return;
    }
    const offered = [info.protocols ?? []].flat();
    const protocol = offered.find((text) => !text.startsWith(CREDENTIALS)) ?? '';
    const request = new Request(`http://${name}${rest}${search}`);
    const socket = fromMswClient(client, protocol);
    await runSocketHandler(service.webSocket.bind(service), socket, request, report);
  });
}

function fromMswClient(
  client: WebSocketHandlerConnection['client'],
  protocol: string,
): ServiceSocket {
  const messages = new ReadableStream<unknown>({
    start(controller) {
      client.addEventListener('message', ({ data }) => controller.enqueue(data));
      client.addEventListener('close', () => controller.close());
    },
  }).getReader();
  return {
    protocol,
    send: async (message) => client.send(message as string),
    close: (code, reason) => client.close(code, reason),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { done, value } = await messages.read();
        if (done) return;
        yield await toMessage(value);
      }
    },
  };
}

async function toMessage(data: unknown): Promise<string | Uint8Array> {
  if (typeof data === 'string') return data;
  return new Uint8Array(data instanceof Blob ? await data.arrayBuffer() : (data as ArrayBuffer));
}
