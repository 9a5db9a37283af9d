import type { HttpError } from '@berth/server-stubs';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import {
  type Call,
  createRouter,
  type ErrorWithResponse,
  type HandlerResponse,
  type Router,
  type RouterOptions,
  type RouteTable,
  toResponse,
} from '@berth/server-stubs/runtime';
import type { DocumentedSurface } from '../contract/contract.ts';
import type { FileEvents } from '../files.ts';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import type { Prism, PrismResponse } from '../prism/prism.ts';
import { findDraftSurface } from './contract.ts';
import { createLiveRouter, openLive } from './live-document.ts';

/** Any OpenAPI document, ready to be served. */
export interface OpenedDocument {
  readonly listener: Router;
  /** For example `GET /orders/{id}`. */
  readonly operations: readonly string[];
  /** The surface that the document is a draft of, if it has operations of the contract. */
  readonly draftOf: DocumentedSurface | undefined;
}

/** Opens a document: the path of a file, which is live, or a parsed document. */
export type OpenDocument = (source: string | object) => Promise<OpenedDocument>;

export interface DocumentOptions extends FileEvents {
  /** What Prism is asked for if the caller has no preference. */
  readonly defaults: Preferences;
  /** Options of the router. Default: none. */
  readonly router?: RouterOptions;
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Creates a function that opens documents. The stubs find the operation and validate the request, and Prism answers.
 * Credentials are not checked.
 */
export function createOpenDocument({ defaults, router, ...events }: DocumentOptions): OpenDocument {
  return async (source) => {
    // Prism takes half a second to import, so this begins now, but nobody waits for it yet.
    const loading = import('../prism/prism.ts');
    loading.catch(() => {});
    const build = (loaded: DocumentRoutes) => {
      const prism = loading.then(({ createPrism }) => createPrism(loaded.document, defaults));
      return createDocumentRouter(loaded, prism, router);
    };
    const live = await openLive(source, build, events);
    const { operations, draftOf } = live.current;
    return { listener: createLiveRouter([live], () => live.current), operations, draftOf };
  };
}

function createDocumentRouter(
  loaded: DocumentRoutes,
  prism: Promise<Prism>,
  options: RouterOptions = {},
): Router & Omit<OpenedDocument, 'listener'> {
  const table = toOpenTable(loaded.routes);

  async function handle(_input: unknown, { operationId, request }: Call): Promise<HandlerResponse> {
    const { accept, prefer } = request.headers;
    const preferences = readPreferences(prefer);
    return toHandlerResponse(await (await prism).respond(operationId, { accept, preferences }));
  }

  /** The documented response with the status of a rejected call, if there is one. It cannot say what is invalid. */
  async function toDocumented(error: HttpError, call: Call): Promise<ErrorWithResponse> {
    const { kind, status, message, violations } = error;
    // What Prism refuses itself says what is wrong with Prefer or Accept.
    const isPreference = kind === 'invalid-request' && violations.length === 0;
    if (isPreference || status >= 500 || !isDocumented(call, status)) return error;
    const preferences = { code: status, dynamic: false };
    const response = await (await prism).respond(call.operationId, { preferences });
    if (response.body === undefined) return error;
    const { headers, ...rest } = toHandlerResponse(response);
    const violation = message.replaceAll(/[^\x20-\x7e]/g, '?');
    return {
      [toResponse]: () => ({ ...rest, headers: { ...headers, 'x-mock-violation': violation } }),
    };
  }

  const handlers = Object.fromEntries(table.routes.map(({ operationId }) => [operationId, handle]));
  const router = createRouter(table, handlers, {
    ...options,
    requests: { bodyBytes: MAX_BODY_BYTES },
    toError: async (error, call) => {
      const converted = await options.toError?.(error, call);
      if (converted !== undefined && converted !== error) return converted;
      return toDocumented(error, call).catch(() => error);
    },
  });
  const operations = loaded.routes.routes.map(({ method, path }) => `${method} ${path}`);
  return Object.assign(router, { operations, draftOf: findDraftSurface(loaded) });
}

function isDocumented({ route }: Call, status: number): boolean {
  const names = [`${status}`, `${Math.floor(status / 100)}XX`];
  return route?.responses.some((response) => names.includes(response.status)) ?? false;
}

/**
 * Returns the routes without credentials. As on Prism's server, they are also at the root, without the path of the
 * document's server.
 */
function toOpenTable({ basePath = '', routes, ...table }: RouteTable): RouteTable {
  const open = routes.map((route) => ({ ...route, security: [] }));
  const keys = new Set(open.map(({ method, path }) => `${method} ${path}`));
  const atRoot = open
    .filter(({ path }) => basePath !== '' && path.startsWith(`${basePath}/`))
    .map((route) => ({ ...route, path: route.path.slice(basePath.length) }))
    .filter(({ method, path }) => !keys.has(`${method} ${path}`));
  return { ...table, basePath, securitySchemes: {}, routes: [...open, ...atRoot] };
}

/** Prism's responses are kept, and so are their bytes. */
const serialized = new WeakMap<PrismResponse, HandlerResponse>();

function toHandlerResponse(response: PrismResponse): HandlerResponse {
  const known = serialized.get(response);
  if (known !== undefined) return known;
  const { status, headers, body } = response;
  const text = body === undefined ? undefined : toText(body, headers['content-type']);
  const result = { status, headers, body: text && Buffer.from(text) };
  serialized.set(response, result);
  return result;
}

function toText(body: unknown, type = ''): string {
  if (typeof body === 'string' && !/[/+]json\b/i.test(type)) return body;
  if (!type.startsWith('text/event-stream')) return JSON.stringify(body);
  // An example of an event stream may be a value, or a list with a value for each event.
  return [body]
    .flat()
    .map((data, index) => `id: ${index + 1}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');
}
