// services.ts
import { events, GatewayError, routes } from '@berth/mock';

export default {
  basket: routes({
    'GET /items/:index': (_, { index }) => Response.json({ index }),
    'POST /checkout': () => {
      throw new GatewayError('SERVICE_TIMEOUT');
    },
    'GET /news': (request) => events([{ event: 'sale', data: { item: 'Rope' } }], request),
    'WS /upper': async (socket) => {
      for await (const message of socket) await socket.send(String(message).toUpperCase());
    },
  }),
  clock: () => Response.json({ now: new Date() }), // any Fetch handler, such as a Hono app
  shop: 'http://127.0.0.1:8080', // a real service
};
