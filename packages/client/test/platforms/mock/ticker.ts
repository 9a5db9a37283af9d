import { defineService } from '@berth/mock';
import { LAST_TICK, TICK_LOSS, TICK_TEXT, type Tick } from '../services.ts';

/**
 * The `ticker` service for the mock. The mock ends streams immediately, so the pause comes before the
 * last bytes.
 */
export const ticker = defineService({
  routes: {
    'GET /*': ({ headers }) => {
      const after = headers['last-event-id'];
      const first = Number(after ?? 0) + 1;
      if (first > LAST_TICK) return { status: 204 };
      const data: Tick = { after: after === undefined ? null : String(after), text: TICK_TEXT };
      const event = 'tick';
      const whole = [first, first + 1]
        .filter((id) => id <= LAST_TICK)
        .map((id) => ({ id, event, data }));
      const lost = { id: first + 2, event, data, delay: TICK_LOSS, cut: true } as const;
      return { events: events([{ retry: 10 }, ...whole, ...(lost.id <= LAST_TICK ? [lost] : [])]) };
    },
  },
});

/** Not a list, because the mock would resume a list after `Last-Event-ID` by itself. */
function* events<Event>(list: readonly Event[]): Generator<Event> {
  yield* list;
}
