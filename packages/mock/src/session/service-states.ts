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
export class ServiceStates {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #states = new Map<string, ServiceState>();
  /** The states in definitions, since the first call. */
  readonly #begun = new Map<string, { readonly text: string; readonly state: ServiceState }>();
  readonly #memories = new Map<string, Map<string, unknown>>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Sets a state, which takes precedence over the service's definition; undefined removes it. */
  set(service: string, state: ServiceState | undefined): void {
    if (state === undefined) this.#states.delete(service);
    else this.#states.set(service, state);
  }

  /** Returns the states that were set and have not expired. */
  list(): Readonly<Record<string, ServiceState>> {
    return Object.fromEntries([...this.#states].filter(([, state]) => this.#lasts(state)));
  }

  /**
   * Returns the state for a call: the one that was set, otherwise the one in the service's definition, which
   * lasts for `ms` from the first call. Undefined means ready.
   */
  find(
    service: string,
    declared?: { readonly code: string; readonly ms?: number },
  ): ServiceState | undefined {
    const state = this.#states.get(service);
    if (state !== undefined && this.#lasts(state)) return state.code === READY ? undefined : state;
    if (declared === undefined) return undefined;
    const { code, ms } = declared;
    if (ms === undefined) return { code };
    // If the text in the file changes, the time starts again.
    const text = `${code} ${ms}`;
    let known = this.#begun.get(service);
    if (known?.text !== text) {
      known = { text, state: { code, until: this.#clock.now() + ms } };
      this.#begun.set(service, known);
    }
    return this.#lasts(known.state) ? known.state : undefined;
  }

  /** Data that the service keeps between calls. */
  memoryOf(service: string): Map<string, unknown> {
    const memory = this.#memories.get(service) ?? new Map();
    this.#memories.set(service, memory);
    return memory;
  }

  /** Clears everything, so that definitions apply again. */
  clear(): void {
    this.#states.clear();
    this.#begun.clear();
    this.#memories.clear();
  }

  #lasts({ until = Infinity }: ServiceState): boolean {
    return until > this.#clock.now();
  }
}
