import type { LoggedRequest, RequestLog } from '../requests/request-log.ts';
import type { ServiceState, ServiceStates } from '../services/service-states.ts';
import type { Services } from '../services/services.ts';

/** The smallest things that stand where parts are still to be plugged in. */
export function createRequestLog(): RequestLog {
  const log = new Map<string, LoggedRequest>();
  return {
    put(request) {
      log.set(request.id, request);
      if (log.size > 1_000) log.delete(log.keys().next().value as string);
    },
    list: () => [...log.values()],
    get: (id) => log.get(id),
    clear: () => log.clear(),
    listen: () => () => {},
  };
}

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
