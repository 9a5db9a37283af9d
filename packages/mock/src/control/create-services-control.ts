import { FieldError } from '../field-error.ts';
import type { Services } from '../services/services.ts';
import type { Session } from '../session/session.ts';
import { toMilliseconds } from '../to-milliseconds.ts';
import type { SessionServices } from './mock-session.ts';
import { assertStateCode, toStateJson } from './service-states-json.ts';

/** The states of the services of a session. */
export function createServicesControl(session: () => Session, services: Services): SessionServices {
  const assertService = (name: string) => {
    if (services.has(name)) return;
    const known = services.names().join(', ') || 'there is none';
    throw new FieldError('name', `must be that of a service: ${known}.`);
  };
  return {
    list() {
      const states = session().services.list();
      return Object.fromEntries(
        [...new Set([...services.names(), ...Object.keys(states)])].map((name) => {
          const state = states[name];
          return [
            name,
            {
              routes: services.routes(name),
              ...(state !== undefined && { state: toStateJson(state) }),
            },
          ];
        }),
      );
    },
    setState(name, code, { for: duration } = {}) {
      assertService(name);
      assertStateCode(code, 'code');
      const ms = duration === undefined ? undefined : toMilliseconds(duration);
      if (duration !== undefined && ms === undefined) {
        throw new FieldError('for', 'must be milliseconds, or a text such as 250ms, 5s, 2m.');
      }
      const { services, clock } = session();
      services.set(name, { code, ...(ms !== undefined && { until: clock.now() + ms }) });
    },
    clearState(name) {
      assertService(name);
      session().services.set(name, undefined);
    },
  };
}
