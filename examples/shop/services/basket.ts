// services/basket.ts
import { defineService } from '@berth/mock';

export default defineService({
  routes: {
    'GET /items': ({ state }) => ({ json: state.get('items') ?? [] }),
    'POST /items': async ({ json, state }) => {
      const items = [...((state.get('items') as unknown[]) ?? []), await json()];
      state.set('items', items);
      return { status: 201, json: items };
    },
  },
});
