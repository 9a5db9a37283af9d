import { createPrism } from '../../contract/oracle/create-oracle.ts';
import { getHttpOperationsFromSpec } from '../../contract/oracle/prism.ts';
import { readPreferences } from '../../contract/oracle/read-preferences.ts';
import { describeViolation, type Violation } from '../../contract/oracle/violation.ts';
import type { Problem } from '../../util/source-file.ts';
import { isObject } from '../../util/values.ts';
import type { CompiledRoute, CompiledService } from '../compile-service.ts';
import { prepareEvents } from '../events.ts';
import { readBytes, toFailure, toServiceHeaders } from '../prepare-route.ts';
import { compareRoutes, parseRouteKey } from '../routes.ts';
import {
  type MockedResponse,
  type RouteContext,
  type RouteHandler,
  ServiceRefusal,
  toRefusal,
} from '../services.ts';

const EVENT_STREAM = 'text/event-stream';

type Resource = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

/**
 * Compiles the OpenAPI document of a hosted service: each GET and POST operation becomes a route. Prism
 * validates its requests, and creates its responses from examples or schemas.
 *
 * @returns the service, or the problems if the document cannot be used
 */
export async function compileDocument(
  name: string,
  document: unknown,
): Promise<CompiledService | readonly Problem[]> {
  const problems = findProblems(document);
  if (problems.length > 0) return problems;
  const prism = createPrism();
  let resources: readonly Resource[];
  try {
    resources = await getHttpOperationsFromSpec(toReadable(document) as object);
  } catch (error) {
    return [{ path: [], rest: `cannot be used: ${(error as Error).message}` }];
  }
  const routes: CompiledRoute[] = [];
  const unusable: Problem[] = [];
  for (const resource of resources) {
    const method = resource.method.toUpperCase();
    // The gateway forwards no other methods.
    if (method !== 'GET' && method !== 'POST') continue;
    const text = `${method} ${resource.path}`;
    try {
      const handle = toHandler(prism, { ...resource, servers: [] });
      routes.push({ text, key: parseRouteKey(text), method, respond: handle });
    } catch (error) {
      unusable.push({
        path: ['paths', resource.path],
        isKey: true,
        rest: (error as Error).message,
      });
    }
  }
  if (unusable.length > 0) return unusable;
  routes.sort((one, other) => compareRoutes(one.key, other.key));
  return { name, routes, proxy: undefined, state: undefined, isExample: false, isDocument: true };
}

/** What keeps a document from being read. */
function findProblems(document: unknown): Problem[] {
  if (!isObject(document)) return [{ path: [], rest: 'must be an OpenAPI document' }];
  const { openapi, swagger } = document;
  if (!/^3\.[0-2](\.\d+)?$/.test(String(openapi))) {
    const got = swagger === undefined ? String(openapi ?? 'none') : `Swagger ${swagger}`;
    return [{ path: ['openapi'], rest: `must be 3.0, 3.1 or 3.2, got ${got}` }];
  }
  return findForeignRefs(document, []);
}

function findForeignRefs(node: unknown, path: (string | number)[]): Problem[] {
  if (Array.isArray(node)) return node.flatMap((item, at) => findForeignRefs(item, [...path, at]));
  if (!isObject(node)) return [];
  const { $ref } = node;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) {
    const rest = `must point into the same file, got "${$ref}": bundle the files, for example with npx @redocly/cli bundle`;
    return [{ path: [...path, '$ref'], rest }];
  }
  return Object.entries(node).flatMap(([key, value]) => findForeignRefs(value, [...path, key]));
}

/**
 * A copy that Prism reads: OpenAPI 3.2 describes an event by `itemSchema`, as an object whose `data` is text
 * with the `contentSchema` of its JSON. Here the schema of an event stream is that of its events' data.
 */
function toReadable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toReadable);
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'openapi') return [key, String(value).replace(/^3\.2.*/, '3.1.1')];
      if (key !== EVENT_STREAM || !isObject(value) || !isObject(value.itemSchema)) {
        return [key, toReadable(value)];
      }
      const { itemSchema, ...mediaType } = value;
      const { data } = isObject(itemSchema.properties) ? itemSchema.properties : {};
      const schema = isObject(data) ? (data.contentSchema ?? data) : itemSchema;
      return [key, toReadable({ ...mediaType, schema })];
    }),
  );
}

function toHandler(prism: ReturnType<typeof createPrism>, resource: Resource): RouteHandler {
  const handle = async (context: RouteContext): Promise<MockedResponse> => {
    const { input } = context;
    const headers = Object.fromEntries(
      Object.entries(toServiceHeaders(input)).map(([name, value]) => [name, String(value)]),
    );
    const preferences = readPreferences(headers.prefer) ?? { dynamic: false };
    if ('fault' in preferences) return toRefusal(400, preferences.fault);
    const body = toBody(await readBytes(input.body), headers['content-type']);
    const result = await prism.request(
      {
        method: resource.method as 'get' | 'post',
        url: { path: `/${input.anyPath}`, query: toQuery(input.rawQuery) },
        headers,
        body,
      },
      [resource],
      { mock: preferences } as never,
    )();
    if (result._tag === 'Left') return toProblem(result.left, body);
    const { output, validations } = result.right;
    const { statusCode: status, body: given } = output;
    const sent = toOutputHeaders(output.headers);
    const [violation] = validations.input;
    // The documented response to an invalid request does not say what is invalid.
    if (violation) sent['x-mock-violation'] = toHeaderText(describe(violation, body));
    if (sent['content-type']?.startsWith(EVENT_STREAM) && typeof given !== 'string') {
      const events = [given].flat().map((data, at) => ({ id: at + 1, data }));
      return prepareEvents({ events })(context);
    }
    if (given === undefined) {
      // Prism names a media type even if there is no body.
      delete sent['content-type'];
      return { status, headers: sent };
    }
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    return { status, headers: sent, body: text };
  };
  return (context) => handle(context).catch((error: unknown) => toFailure(error, context));
}

/**
 * The response if Prism has none: the document has no response to an invalid request, or not what is
 * asked for.
 */
function toProblem(error: Error, body: unknown): MockedResponse {
  const {
    status = 500,
    detail,
    additional,
  } = error as Error & {
    status?: number;
    detail?: string;
    additional?: { validation?: { location: string[]; code?: string; message: string }[] };
  };
  const [violation] = additional?.validation ?? [];
  if (violation === undefined) return toRefusal(status, detail ?? error.message);
  const { location: path, code, message } = violation;
  return toRefusal(status, describe({ path, message, ...(code && { code }) }, body));
}

/** Names the field; Prism itself does so for parameters, and `body` has no value of theirs. */
function describe(violation: Violation, body: unknown): string {
  return violation.path?.[0] === 'body'
    ? describeViolation(violation, body)
    : `${violation.message}.`;
}

/** @throws ServiceRefusal 400 */
function toBody(bytes: Buffer, type = ''): unknown {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString();
  if (!/^application\/(\S+\+)?json\b/i.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceRefusal(400, 'The body is not valid JSON.');
  }
}

function toQuery(rawQuery: string | undefined): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    const known = query[name];
    query[name] = known === undefined ? value : [known, value].flat();
  }
  return query;
}

/** Headers of a documented response, with names in lower case. */
function toOutputHeaders(headers: object = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      toHeaderText(String(value)),
    ]),
  );
}

/** A text that can be the value of a header. */
function toHeaderText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}
