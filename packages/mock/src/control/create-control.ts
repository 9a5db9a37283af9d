import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Context } from '../context.ts';
import { toUnknown } from '../faults/to-fault.ts';
import { FieldError } from '../field-error.ts';
import { SESSION_PARAMETER, sessionOfQuery } from '../session/session-name.ts';
import { assertAllowed } from './assert-allowed.ts';
import { createMockSession } from './create-mock-session.ts';
import { ANSWERED } from './endpoint.ts';
import { endpoints } from './endpoints/endpoints.ts';
import { findEndpoint } from './find-endpoint.ts';
import { Problem } from './problem.ts';
import { readJsonBody } from './read-json-body.ts';

/** Where the control API begins. */
const CONTROL_ROOT = '/__mock/api/';

const MAX_BODY_BYTES = 1024 * 1024;

/** Answers what it knows; false for everything else. */
type Pages = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Makes the control API: it tells and changes what tests can also reach by `mock.session()`.
 *
 * @param pages answers what lies beside the API: the inspector
 */
export function createControl(context: Context, pages: Pages): RequestListener {
  return (request, response) => {
    // A connection may break while this is loaded.
    if (response.headersSent) return;
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    answer(context, pages, request, response).catch((error) =>
      sendProblem(toProblem(error), response),
    );
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // No page of another origin may even show what is here.
  'cross-origin-resource-policy': 'same-origin',
};

async function answer(
  context: Context,
  pages: Pages,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  assertAllowed(request, context.options.host);
  const [path = '', search] = (request.url ?? '')
    .replace(/^https?:\/\/[^/]*/i, '')
    .split(/\?(.*)/s);
  if (!path.startsWith(CONTROL_ROOT) && pages(request, response)) return;
  const { endpoint, params } = findEndpoint(
    endpoints,
    request.method ?? 'GET',
    path.startsWith(CONTROL_ROOT) ? path.slice(CONTROL_ROOT.length) : '',
  );
  const query = new URLSearchParams(search);
  assertKnown(query, endpoint.query ?? []);
  const { method, maxBodyBytes = MAX_BODY_BYTES } = endpoint;
  const hasBody = method === 'PUT' || method === 'POST';
  const body = hasBody ? await readJsonBody(request, maxBodyBytes) : undefined;
  const session = createMockSession(context, sessionOfQuery(request));
  const value = await endpoint.answer({ context, session, params, query, body, request, response });
  if (value === ANSWERED) return;
  if (value === undefined) response.writeHead(204).end();
  else send(response, 200, 'application/json', value);
}

/** A misspelt parameter would do nothing, and a test would hold what it does not mean. */
function assertKnown(query: URLSearchParams, names: readonly string[]): void {
  const known = [...names, SESSION_PARAMETER];
  for (const name of query.keys()) if (!known.includes(name)) throw toUnknown(name, name, known);
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FieldError) return new Problem(400, error.message, { field: error.field });
  process.emitWarning(error as Error);
  return new Problem(500, 'The mock failed: its warnings say why.');
}

function sendProblem(problem: Problem, response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(problem.headers)) {
    response.setHeader(name, String(value));
  }
  send(response, problem.status, 'application/problem+json', problem);
}

function send(response: ServerResponse, status: number, type: string, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(text),
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
