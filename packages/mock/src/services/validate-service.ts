import { isObject, suggest } from '../util/values.ts';
import { parseRouteKey, shapeOf } from './routes.ts';

/** The contract's pattern for hosted service names. */
const NAME = /^[A-Za-z][\w-]{0,58}[A-Za-z\d]$/;

/** Returns what is wrong with a service name, as the rest of a sentence; undefined if it is valid. */
export function findNameFault(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : 'is not a valid service name: it must begin with a letter, end with a letter or digit, and have 2 to 60 letters, digits, _ and -.';
}

const FIELDS = ['routes', 'proxy'];

/** Returns all errors in a service definition, as sentences that name the field. */
export function findServiceFaults(service: unknown): string[] {
  if (!isObject(service))
    return ['The service must be an object with the fields routes and proxy.'];
  const faults = Object.keys(service)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => {
      const hint = suggest(name, FIELDS, ' did you mean', ' the fields are routes and proxy.');
      return `${name} is not a field here;${hint}`;
    });
  const { routes = {}, proxy } = service;
  if (proxy !== undefined && !isUrl(proxy)) {
    faults.push('proxy must be a URL such as http://127.0.0.1:8080.');
  }
  if (!isObject(routes)) return [...faults, 'routes must be an object.'];
  const shapes = new Map<string, string>();
  for (const [key, route] of Object.entries(routes)) {
    const fault = findRouteFault(key, route, shapes);
    if (fault !== undefined) faults.push(`routes[${JSON.stringify(key)}] ${fault}`);
  }
  return faults;
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value);
}

/** @param shapes the keys so far, by what they match */
function findRouteFault(
  key: string,
  route: unknown,
  shapes: Map<string, string>,
): string | undefined {
  try {
    const parsed = parseRouteKey(key);
    const shape = shapeOf(parsed);
    const before = shapes.get(shape);
    if (before !== undefined) return `matches the same calls as ${JSON.stringify(before)}.`;
    shapes.set(shape, key);
    if (typeof route === 'function') return undefined;
    if (!isObject(route)) return 'must be a response or a function.';
    if ('webSocket' in route === (parsed.method === 'WS')) return undefined;
    return parsed.method === 'WS'
      ? 'is not a WebSocket: give it a webSocket function, or start its key with GET or POST.'
      : 'is a WebSocket: use WS instead of the method in its key.';
  } catch (error) {
    return `${(error as TypeError).message}.`;
  }
}
