import { nearest } from '../../nearest.ts';

const METHODS = ['GET', 'POST', 'WS'] as const;
export type RouteMethod = (typeof METHODS)[number];

/** `GET /orders/{id}?status=open` in its parts. */
export interface RouteKey {
  readonly method: RouteMethod;
  /** What stands between the slashes; the first is what follows the leading one. */
  readonly segments: readonly RouteSegment[];
  /** Whether the last segment takes any rest. */
  readonly isOpen: boolean;
  readonly query: readonly (readonly [name: string, value: string])[];
}

export type RouteSegment = { readonly text: string } | { readonly param: string };

/**
 * Reads the key of a route.
 *
 * @throws TypeError that says what is wrong, without a subject: `must begin …`
 */
export function parseRouteKey(key: string): RouteKey {
  const [, verb = '', path = '', , search = ''] =
    /^(\S+) +(\/[^?\s]*)(\?(\S*))?$/.exec(key) ??
    refuse('must be a method and a path, such as "GET /orders/{id}"');
  const method = METHODS.find((known) => known === verb);
  if (method === undefined) throw new TypeError(describeMethod(verb));
  const parts = path.slice(1).split('/');
  const isOpen = parts.at(-1) === '*';
  const segments = (isOpen ? parts.slice(0, -1) : parts).map(toSegment);
  const params = segments.flatMap((segment) => ('param' in segment ? [segment.param] : []));
  const twice = params.find((name, at) => params.indexOf(name) !== at);
  if (twice !== undefined) refuse(`has {${twice}} twice: give each its own name`);
  return { method, segments, isOpen, query: [...new URLSearchParams(search)] };
}

function toSegment(text: string): RouteSegment {
  const [, param] = /^\{([A-Za-z_]\w*)\}$/.exec(text) ?? [];
  if (param !== undefined) return { param };
  if (/[{}*]/.test(text)) {
    refuse(
      `has the segment "${text}": a parameter is a whole segment, such as /{id}, and * stands last, alone`,
    );
  }
  return { text };
}

function describeMethod(verb: string): string {
  const upper = verb.toUpperCase();
  if (upper === 'HEAD') return 'need not be there: the GET of the path answers HEAD too';
  const near = nearest(upper, METHODS);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `must begin with GET, POST or WS: the gateway passes nothing else on${hint}`;
}

function refuse(rest: string): never {
  throw new TypeError(rest);
}
