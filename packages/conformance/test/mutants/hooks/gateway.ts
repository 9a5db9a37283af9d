import { randomUUID } from 'node:crypto';
import {
  type Hooks,
  type Json,
  type Message,
  type MutatedRequest,
  MutatedResponse,
} from '../../proxy/messages.ts';
import type { MutantContext } from '../context.ts';

/** Conditions on a response and its request; all that are set must match. */
interface Match {
  method?: string;
  status?: number | readonly number[];
  /** The media type in lower case, without parameters; empty if there is none. */
  type?: string | RegExp;
  /** `code` in a JSON body. */
  code?: string;
  path?: RegExp;
  when?: (response: MutatedResponse, request: MutatedRequest) => unknown;
}

type Change = (response: MutatedResponse, request: MutatedRequest) => unknown;

function isMatch(match: Match, response: MutatedResponse, request: MutatedRequest): boolean {
  const { method, status, type, code, path, when } = match;
  const [mediaType = ''] = (response.headers.get('content-type') ?? '').toLowerCase().split(/ *;/);
  return (
    (method === undefined || request.method === method) &&
    (status === undefined || [status].flat().includes(response.status)) &&
    (type === undefined || (type instanceof RegExp ? type.test(mediaType) : type === mediaType)) &&
    (code === undefined || response.json?.code === code) &&
    (path === undefined || path.test(request.path)) &&
    (when === undefined || Boolean(when(response, request)))
  );
}

/** Changes the gateway responses that match, and that are of one kind. */
const among =
  (isOfKind: (response: MutatedResponse) => boolean) =>
  (match: Match, change: Change): Hooks => ({
    response: (response, request) =>
      request.isGateway && isOfKind(response) && isMatch(match, response, request)
        ? change(response, request)
        : undefined,
  });

/** Returns whether a response comes from a hosted service, not from the gateway itself. */
export const isOfService = ({ headers }: MutatedResponse): boolean =>
  headers.get('X-Svc-Upstream-Status-Code') !== undefined;

/** Changes gateway responses, whether they come from the gateway itself or from a service. */
export const gatewayResponse = among(() => true);

/** Changes responses from hosted services, but not the gateway's own. */
export const serviceResponse = among(isOfService);

/** Changes the gateway's own error responses. */
export const gatewayError = among((response) => !isOfService(response) && response.status >= 400);

/** Changes the 101 response in a WebSocket handshake. */
export const upgraded = (change: Change): Hooks => ({
  response: (response, request) =>
    response.status === 101 ? change(response, request) : undefined,
});

export const setStatus =
  (status: number): Change =>
  (response) => {
    response.status = status;
  };

export const setHeader =
  (name: string, value: string): Change =>
  ({ headers }) =>
    headers.set(name, value);

export const removeHeader =
  (name: string): Change =>
  ({ headers }) =>
    headers.remove(name);

export const setBody =
  (body: string, type?: string) =>
  (response: MutatedResponse): void => {
    response.body = Buffer.from(body);
    if (type !== undefined) response.headers.set('Content-Type', type);
  };

/** Members to set, `undefined` to remove one, or a function that changes an object in place. */
export type Patch = object | ((target: Json) => unknown);

export function applyPatch(target: Json, patch: Patch): void {
  if (typeof patch === 'function') patch(target);
  else Object.assign(target, patch);
}

/** Changes a JSON body. */
export const changeJson =
  (patch: Patch) =>
  (message: MutatedRequest | MutatedResponse): void => {
    const { json } = message;
    if (json === undefined) return;
    if (json !== null) applyPatch(json, patch);
    message.json = json;
  };

/** Returns the values that the fixture service was asked to send for a header, before the gateway changes them. */
export function valuesOfService(request: MutatedRequest, name: string): string[] {
  return new URLSearchParams(request.query).getAll('header').flatMap((line) => {
    const [key = '', ...rest] = line.split(':');
    return key.toLowerCase() === name.toLowerCase() ? [rest.join(':').trim()] : [];
  });
}

/** Forwards a header from the hosted service even though the gateway must remove or replace it. */
export const passHeader =
  (name: string, how: 'set' | 'add' = 'set'): Change =>
  ({ headers }, request) => {
    const [value] = valuesOfService(request, name);
    if (value) headers[how](name, value);
  };

/** Creates a gateway error in the contract's format. */
export function toRefusal(status: number, code: string): MutatedResponse {
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message: 'rejected by a mutant', requestId });
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
  return new MutatedResponse(status, headers, body);
}

/** Rewrites the path and query of every request. */
export const retarget = (rewrite: (target: string) => string): Hooks => ({
  request(call) {
    call.target = rewrite(call.target);
  },
});

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

/** Lets the first value of a request header count for all calls on its connection. */
export const firstCounts = (name: string) => (): Hooks => {
  const known = new WeakMap<object, string>();
  return gatewayRequest(({ connection, headers }) => {
    const value = known.get(connection) ?? headers.get(name);
    if (value === undefined) return;
    known.set(connection, value);
    headers.set(name, value);
  });
};

/** Sends a request from the mutant itself to the server, and returns the response. */
export function callAgain(
  { call }: MutantContext,
  { method, target, headers, body }: MutatedRequest,
  more: Record<string, string> = {},
): Promise<MutatedResponse> {
  const passed = headers.list.filter(
    ([name]) => !/^(connection|content-length|transfer-encoding)$/i.test(name),
  );
  return call({ method, target, headers: { ...Object.fromEntries(passed), ...more }, body });
}

/** A message that is a frame of a WebSocket. */
export type SocketFrame = Required<Message>;

/** Replaces each frame of a WebSocket. */
export const frames = (change: (frame: SocketFrame) => SocketFrame[]): Hooks => ({
  async *messages(all) {
    for await (const { from, data, opcode, fin } of all) {
      if (opcode === undefined || fin === undefined) yield { from, data };
      else yield* change({ from, data, opcode, fin });
    }
  },
});
