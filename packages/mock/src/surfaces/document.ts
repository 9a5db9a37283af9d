import type { IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import type { HttpError } from '@berth/server-stubs';
import type { DocumentRoutes } from '@berth/server-stubs/document';
import {
  type Call,
  createRouter,
  type ErrorWithResponse,
  type HandlerResponse,
  type Listener,
  type Router,
  type RouterOptions,
  type RouteTable,
  toResponse,
} from '@berth/server-stubs/runtime';
import { type FileEvents, type Live, openLive } from '../files.ts';
import { MAX_REASON } from '../log.ts';
import { type Preferences, readPreferences } from '../prism/preferences.ts';
import type { Prism, PrismResponse } from '../prism/prism.ts';
import type { DocumentedSurface } from '../surface.ts';
import { isObject } from '../user-input.ts';

/** A document whose calls Prism answers. */
export interface ServedDocument {
  /** Finds the operations that Prism answers, and validates their requests. */
  readonly router: Router;
  /** Imports Prism when it is first needed. */
  readonly prism: () => Promise<Prism>;
  /** The surface of which the document is a draft; undefined for a document beside the contract. */
  readonly surface: DocumentedSurface | undefined;
  /** For example `GET /orders/{id}`. */
  readonly operations: readonly string[];
}

/** Decides how a document is served. */
export type Serve = (loaded: DocumentRoutes) => ServedDocument;

/**
 * Opens a document.
 *
 * @param source path of a file, which is live, or a parsed document, which never changes
 * @throws InvalidDocumentError that names the place, and what is wrong
 */
export async function openDocument(
  source: string | object,
  serve: Serve,
  events?: FileEvents,
): Promise<Live<ServedDocument>> {
  // Prism takes half a second to import, so this begins now, but nobody waits for it yet.
  import('../prism/prism.ts').catch(() => {});
  const load = async (watch: (file: string) => void) => {
    if (typeof source === 'string') watch(resolve(source));
    // Loading documents takes time to import, which only those who use one should wait for.
    const { InvalidDocumentError, loadRoutes } = await import('@berth/server-stubs/document');
    const loaded = await loadRoutes(source);
    if (loaded.routes.routes.length === 0) throw new InvalidDocumentError(loaded.warnings);
    for (const file of loaded.files) watch(file);
    return serve(loaded);
  };
  return openLive({ path: String(source), load }, events);
}

/** Returns a router for the current version of a document. */
export function toRouter(live: Live<ServedDocument>): Router {
  return createLiveRouter([live], () => live.current.router);
}

type Select = (request: Pick<IncomingMessage, 'method' | 'url'>) => Router;

/**
 * Creates a router that passes each request on when the documents are up to date.
 *
 * @param select returns the router for a request
 */
export function createLiveRouter(documents: readonly Live<unknown>[], select: Select): Router {
  const listener: Listener = (request, response, next) => {
    const handle = () => select(request)(request, response, next);
    const reading = documents.flatMap((document) => document.refresh() ?? []);
    if (reading.length === 0) handle();
    else void Promise.all(reading).then(handle);
  };
  const find = (request: Parameters<Select>[0]) => select(request).find(request);
  return Object.assign(listener, { checkContinue: listener, find });
}

/** Creates a router all of whose operations have the same handler. */
export function createPrismRouter(
  table: RouteTable,
  respond: (call: Call) => Promise<HandlerResponse>,
  options: RouterOptions,
): Router {
  const handle = (_input: unknown, call: Call) => respond(call);
  const handlers = table.routes.map(({ operationId }) => [operationId, handle]);
  return createRouter(table, Object.fromEntries(handlers), options);
}

/**
 * Returns a function that imports Prism when it is first called.
 *
 * @param toDocument returns the document that Prism gets
 * @param defaults what Prism is asked for if the caller has no preference
 */
export function createLazyPrism(
  toDocument: () => Record<string, unknown>,
  defaults: Preferences,
): () => Promise<Prism> {
  let prism: Promise<Prism> | undefined;
  return () => {
    prism ??= import('../prism/prism.ts').then(({ createPrism }) =>
      createPrism(toDocument(), defaults),
    );
    return prism;
  };
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Serves a document beside the contract. The stubs find the operation and validate the request, and Prism answers.
 * Credentials are not checked.
 *
 * @param toOptions returns the options of the router
 */
export function serveAlone(
  defaults: Preferences,
  toOptions: (toError: NonNullable<RouterOptions['toError']>) => RouterOptions,
): Serve {
  return ({ document, routes }) => {
    const prism = createLazyPrism(() => document, defaults);
    const respond = async ({ operationId, request }: Call) => {
      const { accept, prefer } = request.headers;
      const preferences = readPreferences(prefer);
      return toHandlerResponse(await (await prism()).respond(operationId, { accept, preferences }));
    };
    const options = toOptions((error, call) => toDocumented(error, call, prism).catch(() => error));
    const requests = { bodyBytes: MAX_BODY_BYTES };
    return {
      prism,
      surface: undefined,
      operations: routes.routes.map(({ method, path }) => `${method} ${path}`),
      router: createPrismRouter(toOpenTable(routes), respond, { ...options, requests }),
    };
  };
}

/** The documented response with the status of a rejected call, if there is one. It cannot say what is invalid. */
async function toDocumented(
  error: HttpError,
  call: Call,
  prism: () => Promise<Prism>,
): Promise<ErrorWithResponse> {
  const { kind, status, message, violations } = error;
  // What Prism refuses itself says what is wrong with Prefer or Accept.
  const isPreference = kind === 'invalid-request' && violations.length === 0;
  if (isPreference || status >= 500 || !isDocumented(call, status)) return error;
  const preferences = { code: status, dynamic: false };
  const response = await (await prism()).respond(call.operationId, { preferences });
  if (response.body === undefined) return error;
  const { headers, ...rest } = toHandlerResponse(response);
  const violation = message.slice(0, MAX_REASON).replaceAll(/[^\x20-\x7e]/g, '?');
  return {
    [toResponse]: () => ({ ...rest, headers: { ...headers, 'x-mock-violation': violation } }),
  };
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

/** Returns a body as it is sent. */
export function toText(body: unknown, type = ''): string {
  if (typeof body === 'string' && !/[/+]json\b/i.test(type)) return body;
  if (/[/+]xml\b/i.test(type)) return toXml('xml', Array.isArray(body) ? { item: body } : body);
  if (!type.startsWith('text/event-stream')) return JSON.stringify(body);
  // An example of an event stream may be a value, or a list with a value for each event.
  return [body]
    .flat()
    .map((data, index) => `id: ${index + 1}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('');
}

/** Writes a value as XML. As on Prism's server, the root is `xml`, and the `xml` of a schema is not read. */
function toXml(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => toXml(name, item)).join('');
  const content = isObject(value)
    ? Object.entries(value).map(([key, member]) => toXml(key, member))
    : [
        String(value ?? '')
          .replace(/&/g, '&amp;')
          .replace(/</g, '&lt;'),
      ];
  return `<${name}>${content.join('')}</${name}>`;
}
