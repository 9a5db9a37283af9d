import type { Clock } from '../session/clock.ts';
import { READY, type ServiceState, type ServiceStates } from './service-states.ts';

/** The states of services that no call has reached yet. */
export function createServiceStates(clock: Pick<Clock, 'now'>): ServiceStates {
  const states = new Map<string, ServiceState>();
  const begun = new Map<string, { readonly said: string; readonly state: ServiceState }>();
  const memories = new Map<string, Map<string, unknown>>();
  const ifLasting = (state: ServiceState | undefined) =>
    state?.until !== undefined && state.until <= clock.now() ? undefined : state;

  const get = (service: string) => {
    const state = states.get(service);
    if (state === undefined) return undefined;
    const lasting = ifLasting(state);
    if (lasting === undefined) states.delete(service);
    return lasting;
  };

  return {
    get,
    set(service, state) {
      if (state === undefined) states.delete(service);
      else states.set(service, state);
    },
    list() {
      for (const service of states.keys()) get(service);
      return Object.fromEntries(states);
    },
    find(service, declared) {
      const state = get(service);
      if (state !== undefined) return state.code === READY ? undefined : state;
      if (declared === undefined) return undefined;
      const { code, ms } = declared;
      if (ms === undefined) return { code };
      // Another text in the file begins anew.
      const said = `${code} ${ms}`;
      let known = begun.get(service);
      if (known?.said !== said) {
        known = { said, state: { code, until: clock.now() + ms } };
        begun.set(service, known);
      }
      return ifLasting(known.state);
    },
    memoryOf(service) {
      let memory = memories.get(service);
      if (memory === undefined) {
        memory = new Map();
        memories.set(service, memory);
      }
      return memory;
    },
    clear() {
      states.clear();
      begun.clear();
      memories.clear();
    },
  };
}
