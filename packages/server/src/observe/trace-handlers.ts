import type { GatewayHandler, GatewayHandlers } from '@berth/server-stubs';
import type { Caller } from '../auth/caller.ts';
import type { Tracing } from './create-tracing.ts';

type Handlers = GatewayHandlers<Caller>;

/** Handlers that carry the trace of a call on to the hosted service. */
export function traceHandlers(handlers: Handlers, tracing: Tracing | undefined): Handlers {
  if (tracing === undefined) return handlers;
  const traced = Object.entries(handlers).map(([name, handler]) => [
    name,
    (...[input, call]: Parameters<GatewayHandler<Caller>>) => {
      // Only now: a signature may cover the headers as they came.
      const headers = { ...input.headers, ...tracing.headersOf(call.response) };
      return (handler as GatewayHandler<Caller>)({ ...input, headers }, call);
    },
  ]);
  return Object.fromEntries(traced);
}
