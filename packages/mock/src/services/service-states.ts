/** A state of the gateway's error table that a hosted service is in, until a time or for good. */
export interface ServiceState {
  /** Code of the gateway's error table, such as `SERVICE_NOT_READY`. */
  readonly code: string;
  /** Milliseconds since the epoch, by the session's clock. Absent: until it is changed. */
  readonly until?: number;
}

/** States that were set for the services of a session; they go before what a service's file says. */
export interface ServiceStates {
  get(service: string): ServiceState | undefined;
  set(service: string, state: ServiceState | undefined): void;
  list(): Readonly<Record<string, ServiceState>>;
  clear(): void;
}
