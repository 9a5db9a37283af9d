import { assert, assertEqual } from '../assert.ts';
import { serviceOf } from '../clients.ts';
import type { PlatformCase } from '../platform-case.ts';
import { LAST_TICK, SERVICES, type Tick } from '../services.ts';

/** Event streams. */
export const EVENTS: readonly PlatformCase[] = [
  {
    name: 'returns each event once, in order, over dropped connections',
    feature: 'events',
    async run(deployment) {
      const seen: [id: string, event: string, after: string | null][] = [];
      for await (const { id, event, data } of serviceOf(deployment, SERVICES.ticker).events()) {
        if (seen.length > LAST_TICK) break;
        const { after, text } = JSON.parse(data) as Tick;
        assertEqual(text, '中\n\r"');
        seen.push([id, event, after]);
      }
      // Each connection except for the last one is dropped within the third event.
      assertEqual(seen, [
        ['1', 'tick', null],
        ['2', 'tick', null],
        ['3', 'tick', '2'],
        ['4', 'tick', '2'],
        ['5', 'tick', '4'],
      ]);
    },
  },
  {
    name: 'begins after an event that the caller names',
    feature: 'events',
    async run(deployment) {
      const ids: string[] = [];
      const ticker = serviceOf(deployment, SERVICES.ticker);
      for await (const { id } of ticker.events('', { lastEventId: '3' })) ids.push(id);
      assertEqual(ids, ['4', '5']);
    },
  },
  {
    name: 'returns an event before the next one arrives',
    feature: 'events',
    async run(deployment) {
      const slow = serviceOf(deployment, SERVICES.slow);
      for await (const { event } of slow.events('early')) {
        assertEqual(event, 'started');
        return;
      }
      assert(false, 'no event came');
    },
  },
];
