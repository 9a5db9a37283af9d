import { type Check, type CheckContext, defineCheck } from '../context/check-context.ts';
import type { GatewayCall } from '../context/gateway-client.ts';
import type { OpenExchange } from '../http/caller.ts';
import { SkipError } from '../result.ts';
import { gatewayMethods } from './gateway-calls.ts';

/**
 * How long the fixture waits for the release, and again between later events, in milliseconds. Each further stream
 * waits twice as long, within the time limit of a call.
 */
const FIRST_WAIT = 3000;

/** A busy machine may deliver events together that were sent separately; a gateway that buffers always does. */
const STREAMS = 3;

async function expectUnbuffered(t: CheckContext, call: GatewayCall): Promise<void> {
  for (let streams = 1; ; streams += 1) {
    const pause = Math.min(FIRST_WAIT * 2 ** (streams - 1), Math.floor(t.settings.timeout / 4));
    const { open, buffered, isLate } = await followHeldStream(t, call, pause);
    if (buffered !== undefined && streams < STREAMS) continue;
    if (isLate) throw new SkipError('the calls took too long to tell; see --rate and --timeout');
    t.expect(buffered === undefined, `${call.method} /events: ${buffered}`, open);
    return;
  }
}

/**
 * The service holds its stream after the first event until it is released. A caller that has received the first event
 * by then did not have to wait for a later one. The service holds it again after the second event, for so long that a
 * gateway with a short limit cuts it off.
 */
async function followHeldStream(t: CheckContext, call: GatewayCall, pause: number) {
  const hold = t.uniqueName();
  const path = t.fixture.events({ count: 3, hold, wait: pause, interval: pause });
  // As browsers send them: a gateway that would compress the stream must not hold it back.
  const accepted = { Accept: 'text/event-stream', 'Accept-Encoding': 'gzip, br' };
  const headers = { ...Object(call.headers), ...accepted };
  const open = await t.gateway.open({ ...call, headers, path });
  const stream = followEvents(open);
  try {
    const { status } = open;
    if (status !== 200) throw new SkipError(`the response for an event stream was ${status}`);
    const began = performance.now();
    const isLate = () => performance.now() - began > 0.9 * pause;
    const soon = 'event must arrive as soon as it is sent, but arrived';
    await stream.until(1);
    if (stream.count() === 0) throw new SkipError('no event arrived');
    // The service sends the next event after this time, even without a release.
    if (isLate()) return { open, buffered: `the first ${soon} only with the next one` };
    if (!(await t.fixture.release(hold))) {
      // Without a release and without later events, another instance of the fixture got the release.
      if (stream.count() === 1) return { open };
      // If the release itself was late, because of `--rate` or a 429, that proves nothing.
      const buffered = `the first ${soon} together with later events`;
      return { open, buffered, isLate: isLate() };
    }
    await stream.until(2);
    if (stream.count() < 2) throw new SkipError('the event stream was cut off');
    if (stream.count() > 2) {
      return { open, buffered: `the second ${soon} together with the next one` };
    }
    await stream.until(3);
    const quiet = `the third event must arrive, although the stream was quiet for ${pause} ms before`;
    return stream.count() > 2 ? { open } : { open, buffered: `${quiet}, but it did not` };
  } finally {
    await stream.close();
  }
}

/** Counts the events of a stream as they arrive, even if no one is waiting for them. */
function followEvents({ chunks, close }: OpenExchange) {
  let text = '';
  let isOver = false;
  let notify = () => {};
  const count = () => text.split('\n\n').length - 1;
  const read = async () => {
    try {
      for await (const chunk of chunks) {
        text += chunk.toString();
        notify();
      }
    } finally {
      isOver = true;
      notify();
    }
  };
  // A broken stream just ends; the check then fails because of missing events.
  const reading = read().catch(() => {});
  return {
    count,
    /** Waits for this many events, or the end of the stream. */
    async until(expected: number): Promise<void> {
      while (!isOver && count() < expected) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
    close() {
      close();
      return reading;
    },
  };
}

export const gatewayStreams: readonly Check[] = [
  defineCheck(
    'GW-SSE-UNBUFFERED',
    ['fixture'],
    (t) => Promise.all(gatewayMethods.map((call) => expectUnbuffered(t, call))),
    { waits: true },
  ),
];
