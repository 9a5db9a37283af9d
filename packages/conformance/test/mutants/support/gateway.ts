import { randomUUID } from 'node:crypto';
import {
  type Hooks,
  type Json,
  type MutatedRequest,
  MutatedResponse,
} from '../../proxy/messages.ts';
import type { MutantContext } from '../mutant.ts';

/** Conditions on a response and its request; all that are set must match. */
export interface Match {
  method?: string;
  status?: number | readonly number[];
  /** The media type in lower case, without parameters; empty if there is none. */
  type?: string | RegExp;
  /** `Content-Type` as sent. */
  contentType?: string | RegExp;
  /** `code` in a JSON body. */
  code?: string;
  path?: RegExp;
  service?: RegExp;
  when?: (response: MutatedResponse, request: MutatedRequest) => unknown;
}

type Change = (response: MutatedResponse, request: MutatedRequest) => unknown;

type Headed = Pick<MutatedResponse, 'headers'>;

const fits = (text: string, pattern: string | RegExp) =>
  typeof pattern === 'string' ? text === pattern : pattern.test(text);

function isMatch(match: Match, response: MutatedResponse, request: MutatedRequest): boolean {
  const { method, status, type, contentType, code, path, service, when } = match;
  return (
    (method === undefined || request.method === method) &&
    (status === undefined || [status].flat().includes(response.status)) &&
    (type === undefined || fits(mediaTypeOf(response), type)) &&
    (contentType === undefined || fits(response.headers.get('Content-Type') ?? '', contentType)) &&
    (code === undefined || response.json?.code === code) &&
    (path === undefined || path.test(request.path)) &&
    (service === undefined || service.test(request.service ?? '')) &&
    (when === undefined || Boolean(when(response, request)))
  );
}

/** Returns all statuses of a class, as in `4xx`. */
export const statuses = (...classes: number[]) =>
  classes.flatMap((hundreds) => Array.from({ length: 100 }, (_, index) => hundreds * 100 + index));

type Responses = [change: Change] | [match: Match, change: Change];

const among =
  (isSource: (response: MutatedResponse) => boolean) =>
  (...args: Responses): Hooks => {
    const [match, change] = args.length === 1 ? [{}, args[0]] : args;
    return {
      response(response, request) {
        const isCovered = request.isGateway && isSource(response);
        return isCovered && isMatch(match, response, request) && change(response, request);
      },
    };
  };

/** Changes all or the matching gateway responses, whether they come from the gateway itself or from a service. */
export const gatewayResponse = among(() => true);

/** Returns whether a response comes from a hosted service, not from the gateway itself. */
export const isOfService = ({ headers }: Headed): boolean =>
  headers.get('X-Svc-Upstream-Status-Code') !== undefined;

/** Changes responses from hosted services, but not the gateway's own. */
export const serviceResponse = among((response) => isOfService(response));

/** Changes the gateway's own error responses. */
export const gatewayError = among((response) => !isOfService(response) && response.status >= 400);

export const setStatus =
  (status: number) =>
  (response: MutatedResponse): void => {
    response.status = status;
  };

/**
 * Sets a header.
 *
 * @param value the new value, or a function that returns it for the current value. If the function returns
 *   `undefined`, the header stays unchanged
 */
export const setHeader =
  (name: string, value: string | ((value: string) => string | undefined)) =>
  ({ headers }: Headed): void => {
    const text = typeof value === 'string' ? value : value(headers.get(name) ?? '');
    if (text !== undefined) headers.set(name, text);
  };

export const removeHeader =
  (name: string) =>
  ({ headers }: Headed): void =>
    headers.remove(name);

export const setBody =
  (body: string, type?: string) =>
  (response: MutatedResponse): void => {
    response.body = Buffer.from(body);
    if (type !== undefined) response.headers.set('Content-Type', type);
  };

/** Returns a function that replaces the first match in a text; with a string or a global pattern, every match. */
export const replace =
  (pattern: RegExp | string, by: string | ((match: string) => string)) =>
  (text: string): string =>
    text[typeof pattern === 'string' ? 'replaceAll' : 'replace'](pattern, by as string);

export const drop = (pattern: RegExp | string) => replace(pattern, '');

type Value = ((value: Json) => unknown) | object | string | number | boolean | null | undefined;

/** New values of members, or functions that return them for the current values. `undefined` removes a member. */
export type Values = { readonly [member: string]: Value };

export type Patch =
  | Values
  | ((target: Json, response: MutatedResponse, operation: string | undefined) => unknown);

export function applyPatch<Rest extends unknown[]>(
  target: Json,
  patch: Values | ((target: Json, ...rest: Rest) => unknown),
  ...rest: Rest
): void {
  if (typeof patch === 'function') patch(target, ...rest);
  else
    for (const [name, value] of Object.entries(patch))
      target[name] = typeof value === 'function' ? value(target[name]) : value;
}

/** Changes a JSON body in place. */
export const changeJson =
  (patch: Patch) =>
  (message: MutatedRequest | MutatedResponse): void => {
    const { json } = message;
    if (json === undefined) return;
    if (json !== null) applyPatch(json, patch, message as MutatedResponse, undefined);
    message.json = json;
  };

/** Returns the media type of a message in lower case, without parameters. */
function mediaTypeOf({ headers }: Headed): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * Returns the values that the fixture service was asked to send for a header, before the gateway changes
 * them.
 */
export function valuesOfService(request: MutatedRequest, name: string): string[] {
  const lowerCase = name.toLowerCase();
  return new URLSearchParams(request.query).getAll('header').flatMap((line) => {
    const [key = '', ...rest] = line.split(':');
    return key.toLowerCase() === lowerCase ? [rest.join(':').trim()] : [];
  });
}

/** Forwards a header from the hosted service even though the gateway must remove or replace it. */
export const passHeader =
  (name: string, how: 'set' | 'add' = 'set', values: RegExp = /./): Change =>
  ({ headers }, request) => {
    const [value] = valuesOfService(request, name);
    if (value && values.test(value)) headers[how](name, value);
  };

/** Changes the 101 response in a WebSocket handshake. */
export const upgraded = (
  change: (response: MutatedResponse, request: MutatedRequest) => void,
): Hooks => ({
  response: (response, request) =>
    response.status === 101 ? change(response, request) : undefined,
});

/** Creates a gateway error in the contract's format. */
export function toRefusal(status: number, code: string): MutatedResponse {
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message: 'rejected by a mutant', requestId });
  return toGatewayResponse(status, 'application/json', body, requestId);
}

/** Creates a response with the headers that every gateway response has. */
export function toGatewayResponse(
  status: number,
  type?: string,
  body = '',
  requestId: string = randomUUID(),
): MutatedResponse {
  const headers = { ...(type ? { 'Content-Type': type } : {}), 'X-Request-Id': requestId };
  return new MutatedResponse(status, headers, body);
}

/** Changes gateway requests. If the function returns a response, that response replaces the server's. */
export const gatewayRequest = (change: (request: MutatedRequest) => unknown): Hooks => ({
  request: (request) => (request.isGateway && !request.isBroken ? change(request) : undefined),
});

/** Like `gatewayRequest`, but changes requests after authentication. Signed requests stay unchanged. */
export const forwardedRequest = (change: (request: MutatedRequest) => unknown): Hooks =>
  gatewayRequest((request) => {
    const isSigned = request.headers.get('Authorization')?.startsWith('TC3') ?? false;
    return isSigned ? undefined : change(request);
  });

/** Rewrites the path after the service name. */
export const onPath = (rewrite: (path: string) => string): Hooks =>
  forwardedRequest((request) => changeTail(request, (tail) => tail.replace(/^[^?]*/, rewrite)));

/** Changes everything after the service name, including the query. */
export function changeTail(request: MutatedRequest, change: (tail: string) => string): void {
  const [, start = '', tail = ''] = /^(\/v1\/cloudrun\/[^/?]*)(.*)$/.exec(request.target) ?? [];
  if (start !== '') request.target = start + change(tail);
}

/** Sends a request from the mutant itself to the server, and returns the response. */
export function callAgain(
  { call }: MutantContext,
  { method, target, headers, body }: MutatedRequest,
  more: Record<string, string> = {},
): Promise<MutatedResponse> {
  const ownOfHop = /^(connection|content-length|transfer-encoding)$/i;
  const passed = headers.list.filter(
    ([name]) => !ownOfHop.test(name) && !/^authorization$/i.test(more.Authorization ? name : ''),
  );
  return call({ method, target, headers: { ...Object.fromEntries(passed), ...more }, body });
}
