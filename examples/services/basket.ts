// services/basket.ts
import { setTimeout } from 'node:timers/promises';
import { defineService, GatewayError } from '@berth/mock';

export default defineService({
  routes: {
    'GET /items': ({ state }) => ({ json: state.get('items') ?? [] }),
    'POST /items': async ({ json, state }) => {
      const items = [...((state.get('items') as unknown[]) ?? []), await json()];
      state.set('items', items);
      return { status: 201, json: items };
    },
    'POST /checkout': () => {
      throw new GatewayError('SERVICE_TIMEOUT');
    },
    'GET /ticks': ({ signal }) => ({ events: ticks(signal) }),
    'WS /upper': {
      webSocket: async (socket) => {
        for await (const message of socket) await socket.send(String(message).toUpperCase());
      },
    },
  },
  proxy: 'http://127.0.0.1:8080', // handles calls without a matching route
});

async function* ticks(signal: AbortSignal) {
  for (let id = 1; !signal.aborted; id += 1) {
    yield { id, data: new Date().toISOString() };
    await setTimeout(1_000);
  }
}
