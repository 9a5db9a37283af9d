import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve as listen } from './loopback.ts';

/** What a server does with one call. The last one in a list applies to all further calls. */
export type Act = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with scripted behavior for each call, which records what it receives. */
export async function faultServer(...acts: Act[]) {
  const calls: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const served = await listen((request, response) => {
    const act = acts[Math.min(calls.length, acts.length - 1)];
    const { method = '', url = '', headers } = request;
    calls.push({ method, url, headers });
    request.resume();
    act?.(request, response);
  });
  served.server.on('clientError', () => {});
  return { ...served, calls, baseUrl: served.url };
}

/** Responds like the hosted service. */
export const serve =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Act =>
  (_, response) => {
    const type = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' };
    const upstream = { 'X-Svc-Upstream-Status-Code': String(status) };
    response.writeHead(status, { ...type, ...upstream, ...headers }).end(JSON.stringify(body));
  };

/** Rejects the call as the gateway does. */
export const refuse =
  (code: string, status: number, headers: Record<string, string> = {}): Act =>
  (_, response) => {
    const type = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' };
    const body = JSON.stringify({ code, message: 'No.', requestId: 'r-1' });
    response.writeHead(status, { ...type, ...headers }).end(body);
  };

/** Breaks the connection before any response. */
export const reset: Act = (request) => request.socket.resetAndDestroy();

/** Never responds. */
export const hang: Act = () => {};

const HALF = { 'Content-Type': 'application/json', 'Content-Length': '100' };

/** Sends headers and half of the body, then breaks the connection. */
export const truncate: Act = (_, response) =>
  response.writeHead(200, HALF).write('{"a":', () => response.destroy());

/** Sends headers and half of the body, then nothing more. */
export const stall: Act = (_, response) => response.writeHead(200, HALF).write('{"a":');
