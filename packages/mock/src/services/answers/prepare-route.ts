import type { ServiceAnswer } from '@berth/server-stubs';
import { isObject } from '../../is-object.ts';
import type { EventScript, FixedAnswer, Route } from '../fake-service.ts';
import { prepareEvents } from './prepare-events.ts';
import { prepareFixed } from './prepare-fixed.ts';
import type { Answerer, RouteContext } from './route-context.ts';
import { toFailure } from './to-failure.ts';
import { toServiceCall } from './to-service-call.ts';

/**
 * Makes what answers the calls of a route, as far as it is the same for all of them.
 *
 * @param folder where the paths of files begin
 */
export function prepareRoute(route: Route, folder: string): Answerer {
  const answer: Answerer =
    typeof route === 'function'
      ? async (context) => prepareAnswer(await route(toServiceCall(context)), folder)(context)
      : prepareAnswer(route, folder);
  return (context) => {
    try {
      const given = answer(context);
      return given instanceof Promise ? given.catch((error) => toFailure(error, context)) : given;
    } catch (error) {
      return toFailure(error, context);
    }
  };
}

/** @throws TypeError for what is no answer */
export function prepareAnswer(answer: unknown, folder: string): Answerer {
  if (!isObject(answer)) {
    const got = answer === null ? 'null' : typeof answer;
    throw new TypeError(`the function returned ${got}; return an answer, such as { json: … }.`);
  }
  if ('webSocket' in answer) {
    throw new TypeError('a webSocket script stands under a route of the method WS.');
  }
  if ('body' in answer) return (_: RouteContext) => answer as unknown as ServiceAnswer;
  if ('events' in answer) return prepareEvents(answer as unknown as EventScript);
  return prepareFixed(answer as FixedAnswer, folder);
}
