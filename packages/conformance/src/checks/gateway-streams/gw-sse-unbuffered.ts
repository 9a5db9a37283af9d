import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { followEvents } from './follow-events.ts';

/** Longest wait of the fixture for the release, and again between later events, in milliseconds. */
const LONGEST_WAIT = 3000;

export const gwSseUnbuffered = defineCheck('GW-SSE-UNBUFFERED', ['fixture'], async (t) => {
  await Promise.all(gatewayMethods.map((call) => expectUnbuffered(t, call)));
});

/**
 * The service holds its stream after the first event until it is told to go on; a caller that has the
 * first event by then has not waited for a later one. Then it waits once more, after the second event.
 */
async function expectUnbuffered(t: Trial, call: GatewayCall): Promise<void> {
  const hold = t.uniqueName();
  const wait = Math.min(LONGEST_WAIT, Math.floor(t.settings.timeout / 4));
  const path = t.fixture.events({ count: 3, hold, wait, interval: wait });
  const headers = { ...call.headers, Accept: 'text/event-stream' };
  const open = await t.gateway.open({ ...call, headers, path });
  const stream = followEvents(open);
  try {
    t.reach(open.status === 200, `an event stream was answered with ${open.status}`);
    await stream.until(1);
    t.reach(stream.events().length > 0, 'no event came');
    const isReleased = await t.fixture.release(hold);
    const came = stream.events().slice(1);
    // Without a release and without later events, another instance of the fixture was told.
    const isHeldBack = !isReleased && came.length > 0;
    const what = `${call.method} /events`;
    t.expect(
      !isHeldBack,
      `${what}: the first event must come when it is sent, but came only with the next ones`,
      open,
    );
    if (!isReleased) return;
    await stream.until(2);
    const later = stream.events().length;
    t.reach(later > 1, 'the event stream broke off');
    const message = `${what}: the second event must come when it is sent, but came with the next`;
    t.expect(later === 2, message, open);
  } finally {
    await stream.close();
  }
}
