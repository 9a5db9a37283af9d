import { resolve } from 'node:path';
import { createPrism } from '../contract/oracle/create-oracle.ts';
import { getHttpOperationsFromSpec } from '../contract/oracle/prism.ts';
import { type Preferences, readPreferences } from '../contract/oracle/read-preferences.ts';
import { parseJson } from '../util/values.ts';
import { prepareEvents } from './events.ts';
import { readBytes, toFailure, toServiceHeaders } from './prepare-route.ts';
import { type MockedResponse, type RouteContext, toMessageResponse } from './services.ts';

/** How OpenAPI documents are served. */
export interface DocumentOptions {
  /** Whether the document is served at the root, and not through the gateway. */
  readonly isRoot: boolean;
  /** What Prism is asked for if the caller has no preference. */
  readonly standard: Preferences;
}

export interface DocumentService {
  /** For example `GET /orders/{id}`. */
  readonly operations: readonly string[];
  respond(context: RouteContext): Promise<MockedResponse>;
}

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Number of responses to keep for each operation. */
const MAX_KEPT = 32;

/**
 * Creates a service that Prism mocks from an OpenAPI document: it validates requests, and responds with
 * examples or with what it generates from the schemas.
 *
 * @throws Error if Prism cannot read the document
 */
export async function createDocumentService(
  file: string,
  { isRoot, standard }: DocumentOptions,
): Promise<DocumentService> {
  const found = await getHttpOperationsFromSpec(resolve(file));
  if (found.length === 0) throw new Error('it has no operation');
  // Prism would call the URLs of callbacks, which requests may contain.
  const resources = found.map((resource) => ({ ...resource, callbacks: [] }));
  const prism = createPrism();
  // Finds the operation and validates the request, which is all that a known response needs.
  const checker = createPrism({
    mock:
      ({ resource }) =>
      () => ({ _tag: 'Right', right: { statusCode: 200, body: resource } }),
  });
  type Result = Awaited<ReturnType<ReturnType<typeof prism.request>>>;
  const kept = new WeakMap<object, Map<string, Result>>();

  /** A response to a valid request only depends on the operation, on `Accept` and on the preferences. */
  async function ask(request: Parameters<typeof prism.request>[0], wanted: Preferences) {
    // Prism modifies the preferences.
    const full = () => prism.request(request, resources, { mock: { ...wanted } } as never)();
    const checked = await checker.request(request, resources)();
    if (checked._tag === 'Left') return checked;
    const { output, validations } = checked.right;
    if (wanted.dynamic || validations.input.length > 0) return full();
    const resource = output.body as object;
    const known = kept.get(resource) ?? new Map<string, Result>();
    kept.set(resource, known);
    const key = JSON.stringify([request.headers?.accept, wanted]);
    const result = known.get(key) ?? (await full());
    if (known.size >= MAX_KEPT) known.clear();
    known.set(key, result);
    return result;
  }

  async function respond(context: RouteContext): Promise<MockedResponse> {
    const { input } = context;
    const headers = isRoot ? input.headers : toServiceHeaders(input);
    const { prefer } = headers;
    const preferences = prefer === undefined ? undefined : readPreferences(String(prefer));
    if (preferences && 'fault' in preferences) return toMessageResponse(400, preferences.fault);
    const path = `/${input.anyPath}`;
    const methods = methodsOf(path);
    const isHead = input.method === 'HEAD' && !methods.includes('HEAD');
    const bytes = await readBytes(input.body, MAX_BODY_BYTES);
    const request = {
      method: (isHead ? 'get' : input.method.toLowerCase()) as 'get',
      url: { path, query: toQuery(input.rawQuery) },
      headers: toPlain(headers, bytes),
      body: toBody(bytes, headers['content-type']),
    };
    const result = await ask(request, preferences ?? standard);
    if (result._tag === 'Left') return toProblem(result.left, methods);
    const { output, validations } = result.right;
    // A deprecated parameter is only a warning.
    const violation = validations.input.find(({ severity }) => severity === 0);
    const sent = toHeaders(output.headers);
    // The documented response to an invalid request does not say what is invalid.
    if (violation) sent['x-mock-violation'] = toHeaderText(violation.message);
    return toResponse(output.statusCode, sent, output.body, context);
  }

  /** Returns the methods of the operations at a path. */
  function methodsOf(path: string): string[] {
    const here = resources.filter((resource) => toPattern(resource.path).test(path));
    return [...new Set(here.map(({ method }) => method.toUpperCase()))];
  }

  return {
    operations: resources.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    respond: (context) => respond(context).catch((error: unknown) => toFailure(error, context)),
  };
}

function toPattern(template: string): RegExp {
  const parts = template.split(/\{[^{}]+\}/);
  return new RegExp(
    `^${parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('[^/]+')}$`,
  );
}

function toQuery(rawQuery = ''): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return query;
}

/** A body that was sent in chunks has no length, which Prism looks at. */
function toPlain(headers: object, { length }: Buffer): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return Object.fromEntries([...entries, ['content-length', String(length)]]);
}

/** Invalid JSON is passed on as text, which no schema of an object accepts. */
function toBody(bytes: Buffer, type: unknown): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString();
  return /[/+]json\b/i.test(String(type)) ? (parseJson(text) ?? text) : text;
}

/** Returns the response if Prism has none, for example for an unknown path. */
function toProblem(error: Error, methods: readonly string[]): MockedResponse {
  const { status, detail, additional } = error as Error & {
    status?: number;
    detail?: string;
    additional?: { validation?: { message: string }[] };
  };
  const [violation] = additional?.validation ?? [];
  const message = violation?.message ?? detail ?? error.message;
  if (status !== 404 && status !== 405) return toMessageResponse(status ?? 500, message);
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  const allow = status === 405 ? { allow: allowed.join(', ') } : {};
  // A 404 at a known path means that the document has no such example.
  const isUnmatched = status === 405 || methods.length === 0;
  return { ...toMessageResponse(status, message, allow), ...(isUnmatched && { unmatched: true }) };
}

function toResponse(
  status: number,
  headers: Record<string, string>,
  body: unknown,
  context: RouteContext,
): MockedResponse | Promise<MockedResponse> {
  const { 'content-type': type = '', ...rest } = headers;
  if (body === undefined) return { status, headers: rest };
  if (type.startsWith('text/event-stream') && typeof body !== 'string') {
    const events = [body].flat().map((data, at) => ({ id: at + 1, data }));
    return prepareEvents({ events })(context);
  }
  const isText = typeof body === 'string' && !/[/+]json\b/i.test(type);
  return { status, headers, body: isText ? body : JSON.stringify(body) };
}

/** Returns the headers of a documented response, with lowercase names. */
function toHeaders(headers: object = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      toHeaderText(String(value)),
    ]),
  );
}

/** Converts a value to text that is valid in a header. */
function toHeaderText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}
