/** OpenAPI documents whose operations nothing implements: the stubs validate the calls, and Prism responds. */
import { existsSync } from 'node:fs';
import type { HttpError } from '@berth/server-stubs';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import {
  type Call,
  createTableRouter,
  type ErrorWithResponse,
  type HandlerResponse,
  type Router,
  type RouteTable,
  type TableRouterOptions,
  toResponse,
} from '@berth/server-stubs/runtime';
import { callOf, MAX_REASON } from './call.ts';
import { describeMissing, type Watch } from './live.ts';
import type { ResolvedOptions } from './options.ts';
import { readPreferences } from './prism/preferences.ts';
import { createPrism, loadPrism, type Prism, type PrismResponse } from './prism/prism.ts';

/**
 * Reports what is not served or not checked.
 *
 * @param source path of a file, which is watched, or a parsed document
 */
export async function loadDocument(
  source: string | object,
  watch: Watch,
  { onProblem }: ResolvedOptions,
): Promise<DocumentRoutes> {
  // Begins now, but is not awaited yet.
  loadPrism().catch(() => {});
  // Imported only if needed, because the import takes time.
  const { InvalidDocumentError, loadRoutes } = await import('@berth/server-stubs/document');
  if (typeof source === 'string') {
    watch(source);
    if (!existsSync(source)) throw new InvalidDocumentError([], describeMissing(source));
  }
  const loaded = await loadRoutes(source, watch);
  const { routes: table, warnings } = loaded;
  const problems = new InvalidDocumentError(warnings);
  if (table.routes.length === 0) throw problems;
  if (warnings.length > 0) onProblem(problems.message);
  return loaded;
}

export function createDocumentRouter(
  table: RouteTable,
  respond: (call: Call) => Promise<HandlerResponse>,
  options: TableRouterOptions,
): Router {
  const handle = (_input: unknown, call: Call) => respond(call);
  const handlers = table.routes.map(({ operationId }) => [operationId, handle]);
  return createTableRouter(table, Object.fromEntries(handlers), options);
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Serves a standalone document, without credentials. */
export function serveDocument(
  { document, routes: table }: DocumentRoutes,
  options: ResolvedOptions,
  settings: TableRouterOptions,
): Router {
  const prism = createPrism([document], options);
  const respond = async ({ operationId, request }: Call) =>
    expose(await prism.respond(operationId, request.headers.accept, readPreferences(request)));
  const routes = table.routes.map((route) => ({ ...route, security: [] }));
  return createDocumentRouter({ ...table, routes }, respond, {
    ...settings,
    requests: { bodyBytes: MAX_BODY_BYTES },
    async toError(error, call) {
      // The documented response does not say what is invalid.
      callOf(call.request).setReason(error.message);
      return (await findDocumented(error, call, prism)) ?? error;
    },
  });
}

/** The documented response with the status of a rejected call, if there is one. It cannot say what is invalid. */
async function findDocumented(
  { kind, status, message, violations }: HttpError,
  call: Call,
  prism: Prism,
): Promise<ErrorWithResponse | undefined> {
  // Prism's own errors explain what is wrong with Prefer or Accept.
  const isPreference = kind === 'invalid-request' && violations.length === 0;
  if (isPreference || status >= 500 || !prism.hasStatus(call.operationId, status)) return undefined;
  const preferences = { code: status, dynamic: false };
  const response = prism.respond(call.operationId, undefined, preferences);
  const documented = await response.catch(() => undefined);
  if (documented?.body === undefined) return undefined;
  const violation = message.slice(0, MAX_REASON).replaceAll(/[^\x20-\x7e]/g, '?');
  const headers = { ...documented.headers, 'x-mock-violation': violation };
  return { [toResponse]: () => expose({ ...documented, headers }) };
}

/** Lets pages read the headers of a response. If a page sends cookies, browsers take `*` literally. */
function expose<Response extends Pick<PrismResponse, 'headers'>>(response: Response) {
  const names = Object.keys(response.headers).join(', ') || undefined;
  return { ...response, headers: { ...response.headers, 'access-control-expose-headers': names } };
}
