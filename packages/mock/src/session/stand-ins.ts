import type { ServiceState, ServiceStates } from '../services/service-states.ts';
import type { Services } from '../services/services.ts';

/** The smallest things that stand where parts are still to be plugged in. */
export function createServiceStates(): ServiceStates {
  const states = new Map<string, ServiceState>();
  return {
    get: (service) => states.get(service),
    set(service, state) {
      if (state === undefined) states.delete(service);
      else states.set(service, state);
    },
    list: () => Object.fromEntries(states),
    clear: () => states.clear(),
  };
}

export async function createServices({
  services = [],
}: {
  services?: readonly string[] | undefined;
}): Promise<Services> {
  return {
    names: () => services,
    answer: () => undefined,
    open: () => undefined,
    close: async () => {},
  };
}
