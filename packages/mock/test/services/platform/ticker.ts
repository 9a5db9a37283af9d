import type { FakeService, ScriptedEvent } from '../../../src/services/fake-service.ts';

const LAST = 5;
const TEXT = '中\n\r"';

/** Events 1 to 5; a connection gives two of them, and breaks off in the third. */
export default {
  routes: {
    'GET /*': ({ headers }) => {
      const after = headers['last-event-id'];
      const first = Number(after ?? 0) + 1;
      if (first > LAST) return { status: 204 };
      const ids = [first, first + 1, first + 2].filter((id) => id <= LAST);
      const events = ids.map(
        (id, at): ScriptedEvent => ({
          id,
          event: 'tick',
          data: { after: after ?? null, text: TEXT },
          ...(at === 2 && { cut: true }),
        }),
      );
      return {
        events: (function* () {
          yield { retry: 10 };
          yield* events;
        })(),
      };
    },
  },
} satisfies FakeService;
