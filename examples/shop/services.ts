// services.ts
import { setTimeout } from 'node:timers/promises';
import { events, GatewayError, routes } from '@berth/mock';

const items: unknown[] = [];

export default {
  basket: routes({
    'GET /items': () => Response.json(items),
    'GET /items/:index': (_, { index }) => Response.json(items[Number(index)] ?? null),
    'POST /items': async (request) => {
      items.push(await request.json());
      return Response.json(items, { status: 201 });
    },
    'POST /checkout': () => {
      throw new GatewayError('SERVICE_TIMEOUT');
    },
    'GET /ticks': () => events(ticks()),
    'WS /upper': async (socket) => {
      for await (const message of socket) await socket.send(String(message).toUpperCase());
    },
  }),
  clock: () => Response.json({ now: new Date() }),
};

async function* ticks() {
  for (let seconds = 0; ; seconds += 1) {
    yield { data: { seconds } };
    await setTimeout(1_000);
  }
}
