import { decodeText, suggest } from '../util/values.ts';

/** The contract's pattern for hosted service names. */
const NAME = /^[A-Za-z][\w-]{0,58}[A-Za-z\d]$/;

/** Returns what is wrong with a service name, as the rest of a sentence; undefined if it is valid. */
export function findNameFault(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : 'is not a valid service name: it must begin with a letter, end with a letter or digit, and have 2 to 60 letters, digits, _ and -.';
}

const METHODS = ['GET', 'POST', 'WS'] as const;

export type RouteMethod = (typeof METHODS)[number];

type RouteSegment = { readonly text: string } | { readonly param: string };

export interface RouteKey {
  readonly method: RouteMethod;
  /** Segments between the slashes, starting after the leading one. */
  readonly segments: readonly RouteSegment[];
  readonly isOpen: boolean;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/**
 * Parses the key of a route.
 *
 * @throws TypeError whose message continues a sentence: `must begin …`
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
  if (twice !== undefined) refuse(`has {${twice}} twice: give each parameter its own name`);
  return { method, segments, isOpen, query: [...new URLSearchParams(search)] };
}

function toSegment(text: string): RouteSegment {
  const [, param] = /^\{([A-Za-z_]\w*)\}$/.exec(text) ?? [];
  if (param !== undefined) return { param };
  if (/[{}*]/.test(text)) {
    refuse(
      `has the segment "${text}": a parameter must be a complete segment, such as /{id}, and * must be the last one`,
    );
  }
  return { text };
}

function refuse(rest: string): never {
  throw new TypeError(rest);
}

function describeMethod(verb: string): string {
  const upper = verb.toUpperCase();
  if (upper === 'HEAD') return 'is not needed: GET also handles HEAD requests to this path';
  const hint = suggest(upper, METHODS, '; did you mean');
  return `must begin with GET, POST or WS: the gateway forwards no other methods${hint}`;
}

/** The path of a call, parsed once for all routes. */
export interface CalledPath {
  /** Raw segments after the leading slash. */
  readonly raw: readonly string[];
  readonly decoded: readonly string[];
  readonly rawQuery: string | undefined;
}

/**
 * Parses the path of a call.
 *
 * @param path raw, with its leading slash
 */
export function toCalledPath(path: string, rawQuery: string | undefined): CalledPath {
  const raw = path.slice(1).split('/');
  return {
    raw,
    decoded: path.includes('%') ? raw.map(decodeText) : raw,
    rawQuery,
  };
}

export type Params = Readonly<Record<string, string>>;

const NONE: Params = Object.freeze({});

/**
 * Returns the route's parameters if the route matches a path, and `undefined` otherwise. A segment matches by
 * its raw bytes or its decoded text. Nothing else is normalized, so `//` and a trailing `/` are significant
 * (D3).
 */
export function matchRoute(
  { segments, isOpen, query }: RouteKey,
  { raw, decoded, rawQuery }: CalledPath,
): Params | undefined {
  if (isOpen ? raw.length <= segments.length : raw.length !== segments.length) return undefined;
  let params: Record<string, string> | undefined;
  for (let at = 0; at < segments.length; at += 1) {
    const segment = segments[at] as RouteSegment;
    const bytes = raw[at] as string;
    const text = decoded[at] as string;
    if ('param' in segment) {
      if (bytes === '') return undefined;
      params ??= {};
      params[segment.param] = text;
    } else if (segment.text !== bytes && segment.text !== text) {
      return undefined;
    }
  }
  if (query.length > 0) {
    const given = new URLSearchParams(rawQuery);
    if (!query.every(([name, value]) => given.getAll(name).includes(value))) return undefined;
  }
  if (isOpen) return { ...params, '*': raw.slice(segments.length).join('/') };
  return params ?? NONE;
}

/**
 * Compares routes for sorting. More specific routes come first: literal text before a parameter, a parameter
 * before `*`, and then longer queries before shorter ones.
 */
export function compareRoutes(one: RouteKey, other: RouteKey): number {
  const length = Math.max(one.segments.length, other.segments.length) + 1;
  for (let at = 0; at < length; at += 1) {
    const order = rankAt(one, at) - rankAt(other, at);
    if (order !== 0) return order;
  }
  return other.query.length - one.query.length;
}

function rankAt({ segments, isOpen }: RouteKey, at: number): number {
  const segment: RouteSegment | undefined = segments[at];
  if (segment === undefined) return isOpen ? 2 : 0;
  return 'param' in segment ? 1 : 0;
}

/** Returns a route's shape. Two routes with the same shape match the same calls. */
export function shapeOf({ method, segments, isOpen, query }: RouteKey): string {
  const path = segments.map((segment) => ('text' in segment ? segment.text : '{}'));
  return JSON.stringify([method, path, isOpen, [...query].sort()]);
}
