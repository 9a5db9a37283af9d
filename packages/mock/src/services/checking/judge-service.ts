import { CODES } from '../../faults/codes.ts';
import { isObject } from '../../is-object.ts';
import { nearest } from '../../nearest.ts';
import { toMilliseconds } from '../../to-milliseconds.ts';
import type { ScriptedEvent, WebSocketStep } from '../fake-service.ts';
import { shapeOf } from '../routes/match-route.ts';
import { parseRouteKey, type RouteKey } from '../routes/route-key.ts';
import { loadShapeJudge } from './judge-shape.ts';
import type { Problem } from './problem.ts';

const BODIES = ['json', 'text', 'base64', 'file'] as const;

/** All that is wrong with the definition of a service, as it came from a file or from code. */
export async function judgeService(service: unknown): Promise<readonly Problem[]> {
  const judgeShape = await loadShapeJudge();
  const shape = judgeShape(withoutCode(service));
  if (!isObject(service)) return shape;
  const routes = isObject(service.routes) ? Object.entries(service.routes) : [];
  return [
    ...shape,
    ...judgeState(service.state),
    ...judgeKeys(routes),
    ...routes.flatMap(judgeRoute),
  ];
}

/** The same value with nothing in it that JSON does not have: what code may have is not of any shape. */
function withoutCode(service: unknown): unknown {
  if (!isObject(service) || !isObject(service.routes)) return service;
  const routes = Object.entries(service.routes).map(([key, route]) => [key, plainOf(route)]);
  return { ...service, routes: Object.fromEntries(routes) };
}

function plainOf(route: unknown): unknown {
  if (typeof route === 'function') return {};
  if (!isObject(route)) return route;
  const { events, webSocket } = route;
  if (typeof webSocket === 'function') return { ...route, webSocket: [] };
  const isGiven = isObject(events) && (Symbol.asyncIterator in events || Symbol.iterator in events);
  return isGiven ? { ...route, events: [] } : route;
}

function judgeState(state: unknown): Problem[] {
  const code = isObject(state) ? state.code : state;
  if (typeof code !== 'string' || CODES.gateway.includes(code)) return [];
  const near = nearest(code, CODES.gateway);
  const hint = near === undefined ? 'such as SERVICE_NOT_READY.' : `did you mean ${near}?`;
  const path = isObject(state) ? ['state', 'code'] : ['state'];
  return [{ path, rest: `must be a code of the gateway's error table; ${hint}` }];
}

function judgeKeys(routes: readonly (readonly [string, unknown])[]): Problem[] {
  const shapes = new Map<string, string>();
  return routes.flatMap(([key]): Problem[] => {
    const path = ['routes', key];
    const parsed = parse(key);
    if (typeof parsed === 'string') return [{ path, isKey: true, rest: `${parsed}.` }];
    const shape = shapeOf(parsed);
    const before = shapes.get(shape);
    shapes.set(shape, key);
    if (before === undefined) return [];
    return [{ path, isKey: true, rest: `takes the same calls as ${JSON.stringify(before)}.` }];
  });
}

function parse(key: string): RouteKey | string {
  try {
    return parseRouteKey(key);
  } catch (error) {
    return (error as TypeError).message;
  }
}

function judgeRoute([key, route]: readonly [string, unknown]): Problem[] {
  const path = ['routes', key];
  if (!isObject(route)) return [];
  const isScript = 'webSocket' in route;
  if (isScript !== key.startsWith('WS ')) {
    const rest = isScript
      ? 'is a WebSocket: begin its key with WS instead of the method.'
      : 'is no WebSocket: give it a webSocket script, or begin its key with GET or POST.';
    return [{ path, rest }];
  }
  const { events, webSocket, repeat } = route;
  if (Array.isArray(webSocket)) return judgeSteps(webSocket, repeat, path);
  if (Array.isArray(events)) return judgeEvents(events, repeat, path);
  const bodies = BODIES.filter((name) => name in route);
  if (bodies.length < 2) return [];
  const [first, second] = bodies as [string, string];
  return [
    {
      path: [...path, second],
      isKey: true,
      rest: `cannot stand beside ${first}: an answer has one body.`,
    },
  ];
}

function judgeEvents(
  events: readonly ScriptedEvent[],
  repeat: unknown,
  path: readonly string[],
): Problem[] {
  const waits = events.some((event) => isObject(event) && lasts(event.delay));
  return repeat === true && !waits ? [tooFast([...path, 'repeat'])] : [];
}

function judgeSteps(
  steps: readonly WebSocketStep[],
  repeat: unknown,
  path: readonly string[],
): Problem[] {
  const known = steps.filter((step) => isObject(step));
  const waits = known.some(
    (step) => 'expect' in step || 'echo' in step || ('delay' in step && lasts(step.delay)),
  );
  const unreached = known.findIndex((step) => 'echo' in step || 'close' in step || 'cut' in step);
  return [
    ...(repeat === true && !waits ? [tooFast([...path, 'repeat'])] : []),
    ...(unreached >= 0 && unreached < steps.length - 1
      ? [
          {
            path: [...path, 'webSocket', unreached + 1],
            rest: 'is never reached: echo, close and cut are the last step of a script.',
          },
        ]
      : []),
  ];
}

function tooFast(path: readonly string[]): Problem {
  return { path, rest: 'needs a delay in the script: without one it floods the caller.' };
}

function lasts(delay: unknown): boolean {
  return (toMilliseconds(delay) ?? 0) > 0;
}
