import type { GatewayInput } from '@berth/server-stubs';
import {
  type Fault,
  FaultError,
  type Judge,
  type OperationCompiler,
} from '@berth/server-stubs/service-document';
import type { Asked, Prism, Resource } from '../../contract/oracle/create-oracle.ts';
import { type Preferences, readPreferences } from '../../contract/oracle/read-preferences.ts';
import { prepareEvents } from '../events.ts';
import { readBytes, toFailure, toServiceHeaders } from '../prepare-route.ts';
import {
  type DocumentOptions,
  type MockedResponse,
  type RouteContext,
  type RouteHandler,
  type SampleCall,
  toMessageResponse,
} from '../services.ts';

const EVENT_STREAM = 'text/event-stream';
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Cached responses of an operation, keyed by everything that selects a response. */
const MAX_KEPT = 32;

/** A response that the document describes. */
interface Documented {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The body as sent. */
  readonly text: string | undefined;
}

function withBody(head: Omit<Documented, 'body' | 'text'>, body: unknown): Documented {
  const { status, headers } = head;
  const isJson = /[/+]json\b/i.test(headers['content-type'] ?? '');
  const text = typeof body === 'string' && !isJson ? body : JSON.stringify(body);
  return { status, headers, body, text };
}

type Found = { readonly documented: Documented } | { readonly rejected: MockedResponse };

/** Creates the handler for an operation. */
export function createOperation(
  prism: Prism,
  compile: OperationCompiler,
  resource: Resource,
  { isRoot, standard }: DocumentOptions,
): RouteHandler {
  const kept = new Map<string, Found>();
  let compiled: Judge | undefined;
  const judgeOf = ({ report }: RouteContext): Judge => {
    if (compiled !== undefined) return compiled;
    const { judge, warnings } = compile();
    for (const { message } of warnings) report(new Error(message));
    compiled = judge;
    return judge;
  };

  const handle = async (context: RouteContext): Promise<MockedResponse> => {
    const { input } = context;
    const headers = isRoot ? input.headers : toServiceHeaders(input);
    const { prefer } = headers;
    const preferences = prefer === undefined ? undefined : readPreferences(String(prefer));
    if (preferences && 'fault' in preferences) return toMessageResponse(400, preferences.fault);
    const fault = await judgeCall(judgeOf(context), resource, input, headers);
    if (fault && !DOCUMENTED.has(fault.kind)) return toMessageResponse(fault.status, fault.message);
    const find = async (wanted: Preferences): Promise<Found> => {
      // The response to a valid request does not depend on anything else.
      const { accept = '' } = headers;
      const key = wanted === standard ? String(accept) : JSON.stringify([accept, wanted]);
      const isKept = fault === undefined && !wanted.dynamic;
      const known = isKept ? kept.get(key) : undefined;
      if (known !== undefined) return known;
      const asked: Asked = {
        method: resource.method as 'get',
        url: { path: resource.path, query: toQuery(input.rawQuery) },
        headers: toPlainHeaders(headers),
        invalid: fault && {
          message: fault.message,
          code: fault.kind === 'unsupported-media-type' ? 415 : 422,
        },
      };
      // Prism modifies the preferences object.
      const result = await prism.request(asked, [resource], { mock: { ...wanted } } as never)();
      const found = toFound(result, context);
      if (kept.size >= MAX_KEPT) kept.clear();
      if (isKept) kept.set(key, found);
      return found;
    };

    const found = await find(preferences ?? standard);
    if ('rejected' in found) return found.rejected;
    return toResponse(found.documented, context);
  };
  return (context) => handle(context).catch((error: unknown) => toFailure(error, context));
}

/** Faults for which the document may have a response. */
const DOCUMENTED: ReadonlySet<Fault['kind']> = new Set([
  'bad-path',
  'invalid-request',
  'unsupported-media-type',
]);

/**
 * Validates a call.
 *
 * @returns what is wrong with the call; undefined if nothing is
 * @throws ServiceRefusal 413
 */
async function judgeCall(
  judge: Judge,
  { method }: Resource,
  { target, body }: GatewayInput,
  headers: GatewayInput['headers'],
): Promise<Fault | undefined> {
  const bytes = await readBytes(body, MAX_BODY_BYTES);
  const hasLength = headers['content-length'] !== undefined;
  try {
    const call = judge.request({
      method: method.toUpperCase(),
      url: target,
      headers: hasLength ? headers : { ...headers, 'content-length': String(bytes.length) },
    });
    await call.readBody(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof FaultError) return error.fault;
    throw error;
  }
}

function toFound(
  result: Awaited<ReturnType<ReturnType<Prism['request']>>>,
  context: RouteContext,
): Found {
  if (result._tag === 'Left') return { rejected: toProblem(result.left) };
  const { output, validations } = result.right;
  const [violation] = validations.input;
  const headers = toOutputHeaders(output.headers);
  // The documented response to an invalid request does not say what is invalid.
  if (violation) headers['x-mock-violation'] = toHeaderText(toSentence(violation.message));
  const documented = withBody({ status: output.statusCode, headers }, output.body);
  return violation ? { rejected: toResponse(documented, context) } : { documented };
}

function toResponse(documented: Documented, context: RouteContext): MockedResponse {
  const { status, headers, body, text } = documented;
  const type = headers['content-type'];
  if (type?.startsWith(EVENT_STREAM) && typeof body !== 'string') {
    const events = [body].flat().map((data, at) => ({ id: at + 1, data }));
    return prepareEvents({ events })(context) as MockedResponse;
  }
  if (text !== undefined) return { status, headers, body: text };
  // Prism sets a media type even if there is no body.
  const { 'content-type': _, ...rest } = headers;
  return { status, headers: rest };
}

/** Creates a valid call to an operation from examples and schemas. */
export function createSample(prism: Prism, resource: Resource): () => Promise<SampleCall> {
  /** Lets Prism create the value as if it were part of a response. */
  const create = async (contents: readonly object[]): Promise<unknown> => {
    const fake = { ...resource, method: 'get', path: '/', request: {}, security: [] };
    const responses = [{ id: '', code: '200', contents }];
    const request = { method: 'get' as const, url: { path: '/' }, headers: {} };
    const result = await prism.request(request, [{ ...fake, responses } as never])();
    return result._tag === 'Right' ? result.right.output.body : undefined;
  };
  return async () => {
    const { path = [], query = [], body } = resource.request ?? {};
    const values = new Map<string, string>();
    for (const { name, schema = {}, examples = [] } of [...path, ...query]) {
      const mediaType = 'application/json';
      const value = await create([{ id: '', mediaType, schema, examples, encodings: [] }]);
      values.set(name, encodeURIComponent(String(value ?? 'a')));
    }
    const given = query
      .filter(({ required }) => required)
      .map(({ name }) => `${encodeURIComponent(name)}=${values.get(name)}`);
    const filled = resource.path.replaceAll(/\{([^{}]+)\}/g, (_, name) => values.get(name) ?? 'a');
    const target = given.length === 0 ? filled : `${filled}?${given.join('&')}`;
    const contents = body?.contents ?? [];
    const content = contents.find(({ mediaType }) => /\bjson\b/.test(mediaType)) ?? contents[0];
    if (content === undefined) return { target };
    const sample = await create([content]);
    return {
      target,
      type: content.mediaType,
      body: typeof sample === 'string' ? sample : (JSON.stringify(sample) ?? ''),
    };
  };
}

/**
 * Returns the response if Prism has none, because the document has no response to an invalid request or none
 * that matches the preferences.
 */
function toProblem(error: Error): MockedResponse {
  const {
    status = 500,
    detail,
    additional,
  } = error as Error & {
    status?: number;
    detail?: string;
    additional?: { validation?: { message: string }[] };
  };
  const [violation] = additional?.validation ?? [];
  return toMessageResponse(status, violation?.message ?? detail ?? error.message);
}

function toSentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}

function toPlainHeaders(headers: GatewayInput['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Prism looks for credentials in the query. */
function toQuery(rawQuery = ''): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return query;
}

/** Returns the headers of a documented response, with lowercase names. */
function toOutputHeaders(headers: object = {}): Record<string, string> {
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
