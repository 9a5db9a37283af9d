import { HttpError, toEventText } from '@berth/server-stubs/contract';
import { isObject } from '../user-input.ts';
import { listOperations, toResponsesDocument } from './operations.ts';
import type { Preferences } from './preferences.ts';

/** A response from the document: an example, or one that is generated from the schema. */
export interface PrismResponse {
  readonly status: number;
  /** By lowercase name, with the `content-type` of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it is sent. */
  readonly body?: Buffer;
  /** What the body was written from: a value for JSON, usually a string for other media types. */
  readonly value: unknown;
}

export type Prism = ReturnType<typeof createPrism>;

type PrismHttp = typeof import('./prism-http.ts');

type PrismArguments = Parameters<ReturnType<PrismHttp['createInstance']>['request']>;

/** An operation of a document in the form that Prism expects. */
type Resource = Awaited<ReturnType<PrismHttp['getHttpOperationsFromSpec']>>[number];

const MAX_CACHED = 1_000;

/** Creates Prism responses for OpenAPI 3.1 documents. If several have an operation, the first one's is used. */
export function createPrism(
  documents: readonly Record<string, unknown>[],
  { dynamic, seed }: Required<Pick<Preferences, 'dynamic' | 'seed'>>,
) {
  const operations = listOperations(documents);
  const resources = new Map<string, Promise<Resource>>();
  const cache = new Map<string, Promise<PrismResponse>>();

  const statusesOf = (operationId: string) =>
    Object.keys(Object(operations.get(operationId)?.operation.responses)) as readonly string[];

  /** Whether an operation documents a status by itself, or as part of a range such as `4XX`. */
  function hasStatus(operationId: string, status: number): boolean {
    const names = [`${status}`, `${Math.floor(status / 100)}XX`];
    return statusesOf(operationId).some((name) => names.includes(name.toUpperCase()));
  }

  /** @throws HttpError 404 if the operation does not document the status */
  function assertPreferences(operationId: string, { code, example, dynamic }: Preferences): void {
    if (code === undefined || hasStatus(operationId, code)) return;
    // The `default` response documents errors. Prism uses its schema, or its example with the name that is preferred.
    if (code >= 400 && (dynamic || example !== undefined)) return;
    // In all other cases, Prism would use the first example of the `default` response.
    const message = 'The document has no response with the status that the Prefer header requests.';
    throw missing(404, `${message} It has ${statusesOf(operationId).join(', ')}.`);
  }

  /** Prism translates one operation at a time, with its responses and nothing else. */
  async function read(operationId: string): Promise<Resource> {
    const operation = operations.get(operationId);
    if (operation === undefined) throw new TypeError(`There is no operation ${operationId}.`);
    if (statusesOf(operationId).length === 0) {
      const message = `The document has no responses for ${operationId}: add one.`;
      throw new HttpError('not-implemented', message);
    }
    const { translate } = await loadPrism();
    const [resource] = await translate(toResponsesDocument(operation));
    return resource as Resource;
  }

  async function generate(
    operationId: string,
    accept: string | undefined,
    preferences: Preferences,
  ): Promise<PrismResponse> {
    const { code, example, dynamic = false, seed } = preferences;
    const { instance } = await loadPrism();
    const reading = resources.get(operationId) ?? read(operationId);
    resources.set(operationId, reading);
    const resource = await reading;
    assertPreferences(operationId, preferences);
    const input = {
      method: resource.method,
      url: { path: '/' },
      headers: { accept: toPrismAccept(accept) },
    } as PrismArguments[0];
    const config = { mock: { code, exampleKey: example, dynamic, seed } } as PrismArguments[2];
    const result = await instance.request(input, [resource], config)();
    if (result._tag === 'Left') {
      // Prism generates nothing without a schema, and fails on some.
      if (dynamic) return generate(operationId, accept, { ...preferences, dynamic: false });
      throw toPreferenceError(result.left);
    }
    const { statusCode: status, headers: documented = {}, body: value } = result.right.output;
    const headers = toHeaders(documented);
    if (value === undefined) return { status, headers, value };
    return { status, headers, value, body: Buffer.from(toText(value, headers['content-type'])) };
  }

  return {
    hasStatus,
    /** @throws HttpError 404 or 406, as in Prism, if the document has no such response */
    respond(operationId: string, accept: string | undefined, preferences?: Preferences) {
      const merged = { dynamic, seed, ...preferences };
      if (merged.dynamic) return generate(operationId, accept, merged);
      const key = JSON.stringify([operationId, accept, merged.code, merged.example]);
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      if (cache.size >= MAX_CACHED) cache.clear();
      const response = generate(operationId, accept, merged);
      cache.set(key, response);
      return response;
    },
  };
}

interface Engine {
  readonly instance: ReturnType<PrismHttp['createInstance']>;
  readonly translate: PrismHttp['getHttpOperationsFromSpec'];
}

let loading: Promise<Engine> | undefined;

/** Imports Prism when it is first needed, which takes half a second. */
export function loadPrism(): Promise<Engine> {
  loading ??= importPrism();
  return loading;
}

async function importPrism(): Promise<Engine> {
  // If packages are missing, Node does not look for them again.
  const fix =
    'Prism cannot be loaded: if packages have been installed since the start, restart the mock.';
  const { createInstance, getHttpOperationsFromSpec } = await import('./prism-http.ts').catch(
    (cause) => Promise.reject(new Error(fix, { cause })),
  );
  // The routers have found the operation, checked credentials and validated the request.
  const instance = createInstance(
    {
      isProxy: false,
      checkSecurity: false,
      validateRequest: true,
      validateResponse: false,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    {
      logger: silentLogger as never,
      route: ({ resources: [resource] }) => ({ _tag: 'Right', right: resource as Resource }),
      validateInput: ({ element }) => ({ _tag: 'Right', right: element }),
    },
  );
  return { instance, translate: getHttpOperationsFromSpec };
}

/** Discards Prism's logs, which cover every step. */
const silentLogger: Record<string, () => unknown> = { child: () => silentLogger };
for (const level of ['trace', 'debug', 'info', 'success', 'warn', 'error', 'fatal']) {
  silentLogger[level] = () => {};
}

function toPreferenceError(error: Error & { status?: number }): Error {
  if (error.status === 406) {
    return missing(406, 'The response has no content type that matches the Accept header.');
  }
  // If Prism finds nothing for `code` and `example` together, it wraps both errors in one that has no status.
  if (error.status !== 404 && error.status !== undefined) return error;
  return missing(404, 'The response has no example with the name that the Prefer header requests.');
}

function missing(status: number, message: string): HttpError {
  return new HttpError('invalid-request', message, { status });
}

/** Headers that describe the message. They are set by what is sent, and not copied from an example. */
const FRAMING =
  /^(connection|content-(digest|encoding|length|md5|range)|date|digest|keep-alive|repr-digest|trailer|transfer-encoding|upgrade)$/;

function toHeaders(headers: object): Record<string, string> {
  const entries = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .filter(([name, value]) => (value ?? undefined) !== undefined && !FRAMING.test(name))
    .map(([name, value]) => [name, String(value).replaceAll(/[^\x20-\x7e]/g, '?')]);
  return Object.fromEntries(entries);
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";

const MEDIA_RANGE = new RegExp(
  `^\\s*${TOKEN}/${TOKEN}(\\s*;\\s*${TOKEN}=(${TOKEN}|"[^"]*"))*\\s*$`,
);

/** Prism throws on invalid media ranges. For any type, it would choose a documented `*` + `/*`: JSON is preferred. */
function toPrismAccept(accept = '*/*'): string {
  const ranges = accept.split(',').filter((range) => MEDIA_RANGE.test(range));
  return (ranges.length > 0 ? ranges : ['*/*'])
    .map((range) => range.replace(/^\s*\*\/\*(.*)$/, 'application/json$1,$&'))
    .join(',');
}

function toText(body: unknown, type = ''): string {
  if (/[/+]json\b/i.test(type)) return JSON.stringify(body);
  if (typeof body === 'string') return body;
  if (/[/+]xml\b/i.test(type)) return toXml('xml', Array.isArray(body) ? { item: body } : body);
  // Prism uses null for what the document does not describe.
  if (!type.startsWith('text/event-stream')) return body === null ? '' : JSON.stringify(body);
  // An example of an event stream may be a value, or a list with a value for each event.
  return [body]
    .flat()
    .map((data, index) => toEventText({ id: index + 1, data }))
    .join('');
}

/** Writes a value as XML. As on Prism's server, the root is `xml`, and the `xml` of a schema is not read. */
function toXml(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => toXml(name, item)).join('');
  const text = isObject(value)
    ? Object.entries(value)
        .map(([key, member]) => toXml(key, member))
        .join('')
    : String(value ?? '')
        .replace(/&/g, '&amp;')
        .replace(/</g, '&lt;');
  return `<${name}>${text}</${name}>`;
}
