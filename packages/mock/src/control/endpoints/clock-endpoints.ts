import { type ClockChange, changeClock, toClockState } from '../change-clock.ts';
import type { Endpoint } from '../endpoint.ts';
import { toFields } from '../to-fields.ts';

/** The time of a session. */
export const clockEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: 'clock', answer: ({ session }) => session.clock.state() },
  {
    method: 'PUT',
    path: 'clock',
    answer({ context, session, body }) {
      const { clock } = context.sessions.get(session.id);
      changeClock(clock, toFields(body, ['now', 'advance', 'frozen']) as ClockChange);
      return toClockState(clock);
    },
  },
  { method: 'DELETE', path: 'clock', answer: ({ session }) => session.clock.reset() },
];
