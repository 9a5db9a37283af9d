import type { WebSocketAnswer } from '@berth/server-stubs';
import { isObject } from '../../is-object.ts';
import { prepareAnswer } from '../answers/prepare-route.ts';
import type { RouteContext } from '../answers/route-context.ts';
import { toFailure } from '../answers/to-failure.ts';
import { toServiceCall } from '../answers/to-service-call.ts';
import type { Route, WebSocketScript } from '../fake-service.ts';
import type { MockedAnswer } from '../services.ts';
import { openWebSocket } from './open-web-socket.ts';

export type Opened = WebSocketAnswer | MockedAnswer;

/** Opens the WebSockets of one route. */
export type Opener = (context: RouteContext, upstreamStatus: string) => Promise<Opened>;

/** Makes what opens the WebSockets of a route. A function may refuse with any answer. */
export function prepareWebSocket(route: Route, folder: string): Opener {
  return async (context, upstreamStatus) => {
    try {
      const script = typeof route === 'function' ? await route(toServiceCall(context)) : route;
      if (isObject(script) && 'webSocket' in script) {
        return await openWebSocket(script as unknown as WebSocketScript, context, upstreamStatus);
      }
      return await prepareAnswer(script, folder)(context);
    } catch (error) {
      return toFailure(error, context);
    }
  };
}
