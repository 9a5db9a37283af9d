import type { GatewayHandlers } from '@berth/server-stubs';
import type { Caller } from '../auth/caller.ts';
import type { Observer } from './create-observer.ts';

type Handlers = GatewayHandlers<Caller>;

/** Handlers that tell of WebSockets that open, which the router no longer answers. */
export function observeWebSockets(handlers: Handlers, onAnswer: Observer['onAnswer']): Handlers {
  const { webSocket } = handlers;
  if (webSocket === undefined) return handlers;
  return {
    ...handlers,
    async webSocket(input, call) {
      const answer = await webSocket(input, call);
      if (!('open' in answer)) return answer;
      return {
        ...answer,
        open(client, head) {
          onAnswer({ status: answer.status }, call);
          answer.open(client, head);
        },
      };
    },
  };
}
