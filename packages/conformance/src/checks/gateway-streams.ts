import { setTimeout as wait } from 'node:timers/promises';
import { SkipError } from '../errors.ts';
import type { OpenExchange } from '../http/caller.ts';
import { type CheckContext, defineCheck } from '../run/check.ts';
import type { GatewayCall } from '../run/clients.ts';
import { GET, POST } from './calls.ts';

/** One before the release, one after it, and one after a quiet time. */
const EVENTS = 3;

/** How long the fixture waits for the release of the first stream, and again between later events, in milliseconds. */
const FIRST_WAIT = 3000;

/** How many streams must arrive late: other servers on the way may deliver events together now and then. */
const MIN_LATE_STREAMS = 3;

/** Each stream after one that shows nothing is held for twice as long. */
const MAX_STREAMS = 5;

/** How many other calls must get a response while an event does not arrive: a busy machine delays them, too. */
const MIN_CALLS = 5;

/** Which event of a stream arrived late, if any; `unknown` if the stream shows nothing. */
type LateEvent = 'none' | 'first' | 'second' | 'third' | 'unknown';

async function expectUnbuffered(t: CheckContext, call: GatewayCall): Promise<void> {
  let pause = Math.min(FIRST_WAIT, Math.floor(t.run.settings.timeoutMs / 4));
  let count = 0;
  for (let streams = 1; streams <= MAX_STREAMS; streams += 1) {
    const { open, lateEvent } = await followHeldStream(t, call, pause);
    if (lateEvent === 'unknown') {
      pause *= 2;
      continue;
    }
    if (lateEvent !== 'none') count += 1;
    if (lateEvent !== 'none' && count < MIN_LATE_STREAMS) continue;
    const when =
      lateEvent === 'third' ? `after a quiet time of ${pause} ms` : 'before the next one was sent';
    const message = `${call.method} /events: the ${lateEvent} event must arrive ${when}`;
    t.expect(lateEvent === 'none', message, open);
    return;
  }
  const { nameOf } = t.run.settings;
  const options = `${nameOf('rate')} and ${nameOf('timeout')}`;
  throw new SkipError(`the calls took too long for a result; see ${options}`);
}

/**
 * Follows a stream through four phases. Evidence is the order of responses, never the time alone:
 *
 * 1. The service sends an event, and holds the stream. The event is late if other calls get a response first.
 * 2. A release is accepted: the first event arrived before the next one was sent. Otherwise, the hold may be over.
 * 3. The second event must arrive before the third one is sent. As in 1, other calls show whether it is late.
 * 4. The third event follows after a quiet time, in which a gateway with a short limit cuts the stream off.
 */
async function followHeldStream(
  t: CheckContext,
  call: GatewayCall,
  pause: number,
): Promise<{ open: OpenExchange; lateEvent: LateEvent }> {
  const hold = t.run.uniqueName();
  const path = t.fixture.path('/events', { hold, mark: hold, wait: pause, interval: pause });
  // As browsers send them: a gateway that would compress the stream must not hold it back.
  const accepted = { Accept: 'text/event-stream', 'Accept-Encoding': 'gzip, br' };
  const headers = { ...Object(call.headers), ...accepted };
  const began = performance.now();
  const opening = t.gateway.open({ ...call, headers, path });
  const opened = opening.then(followEvents);
  /** Waits for events. Returns whether they were certainly late: other calls got a response after the service began. */
  const isLate = async (arrival: Promise<void>): Promise<boolean> => {
    const arrived = arrival.then(() => true);
    let calls = 0;
    const turn = pause / (2 * MIN_CALLS);
    while (calls < MIN_CALLS && !(await Promise.race([arrived, wait(turn, false)]))) {
      if ((await t.fixture.count(hold)) > 0) calls += 1;
    }
    await arrival;
    return calls === MIN_CALLS;
  };
  try {
    const isFirstLate = await isLate(opened.then((stream) => stream.until(1)));
    const [open, stream] = await Promise.all([opening, opened]);
    const { status } = open.received;
    if (status !== 200) throw new SkipError(`the response for an event stream was ${status}`);
    if (isFirstLate) return { open, lateEvent: 'first' };
    if (stream.count() === 0) throw new SkipError('no event arrived');
    if (!(await t.fixture.release(hold))) {
      // The service sends the next event after this time, even without a release: the first may have arrived with it.
      const isOver = stream.count() > 1 || performance.now() - began > 0.9 * pause;
      // Otherwise, another instance of the fixture got the release.
      return { open, lateEvent: isOver ? 'unknown' : 'none' };
    }
    if (await isLate(stream.until(2))) return { open, lateEvent: 'second' };
    if (stream.count() < 2) throw new SkipError('the event stream was cut off');
    if (stream.count() > 2) return { open, lateEvent: 'unknown' };
    await stream.until(EVENTS);
    return { open, lateEvent: stream.count() < EVENTS ? 'third' : 'none' };
  } finally {
    // The error of a call explains more.
    await opened.then(({ close }) => close()).catch(() => {});
  }
}

/** Counts the events of a stream as they arrive, even if no one is waiting for them. */
function followEvents({ chunks, close }: OpenExchange) {
  let text = '';
  // A gateway may add comments, which are no events.
  const count = () => text.match(/^id: .*\ndata: .*\n\n/gm)?.length ?? 0;
  const arrivals = Array.from({ length: EVENTS }, () => Promise.withResolvers<void>());
  const read = async () => {
    for await (const chunk of chunks) {
      text += chunk.toString();
      for (const { resolve } of arrivals.slice(0, count())) resolve();
    }
  };
  // A broken stream just ends; the check then fails because of missing events.
  const reading = read().catch(() => {});
  return {
    count,
    /** Waits for this many events, or the end of the stream. */
    until: (expected: number) => Promise.race([arrivals[expected - 1]?.promise, reading]),
    close() {
      close();
      return reading;
    },
  };
}

export const gatewayStreams = [GET, POST].map((call) =>
  defineCheck('GW-SSE-UNBUFFERED', ['fixture'], (t) => expectUnbuffered(t, call)),
);
