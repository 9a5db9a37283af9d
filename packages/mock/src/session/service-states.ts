import type { Clock } from '../util/clock.ts';

/** Code for a service that is ready, whatever its definition says. */
export const READY = 'READY';

/**
 * A hosted service's state, which is a code from the gateway's error table. It lasts for a limited time or
 * until it is changed.
 */
export interface ServiceState {
  /** Code from the gateway's error table, such as `SERVICE_NOT_READY`, or {@link READY}. */
  readonly code: string;
  /** Milliseconds since the epoch, by the session's clock. If absent, the state lasts until it is changed. */
  readonly until?: number;
}

/** The state of hosted services in one session: the codes that were set, and the data that services keep. */
export interface ServiceStates {
  /** Returns the state that was set; undefined if none was, or if it has expired. */
  get(service: string): ServiceState | undefined;
  /** Sets a state, which takes precedence over the service's definition; undefined removes it. */
  set(service: string, state: ServiceState | undefined): void;
  /** Returns the states that were set and have not expired. */
  list(): Readonly<Record<string, ServiceState>>;
  /**
   * Returns the state for a call: the one that was set, otherwise the one in the service's definition, which
   * lasts for `ms` from the first call. Undefined means ready.
   */
  find(
    service: string,
    declared?: { readonly code: string; readonly ms?: number },
  ): ServiceState | undefined;
  /** Data that the service keeps between calls. */
  memoryOf(service: string): Map<string, unknown>;
  /** Clears everything, so that definitions apply again. */
  clear(): void;
}

/** Creates the initial state, in which no service has been called yet. */
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
      // If the text in the file changes, the time starts again.
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
