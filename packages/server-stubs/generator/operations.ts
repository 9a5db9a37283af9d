import { kindOf } from '../src/runtime/portable/body.ts';
import { Paths } from '../src/runtime/portable/paths.ts';
import type { Route, RouteTable, SecurityScheme } from '../src/runtime/portable/route-table.ts';
import { createCompiler } from './ajv-adapter.ts';
import { describeFields, describeParameters } from './describe-parameters.ts';
import { asObject, entriesOf, follow, isObject, type JsonObject, toList } from './json.ts';
import { type OpenApiDocument, operationsOf } from './openapi.ts';
import { checkSchemas, SchemaSet, type ValidatorName } from './schema-set.ts';
import { propertiesOf } from './subschemas.ts';

type OperationEntry = ReturnType<typeof operationsOf>[number];
/** A route without the defaults of its parameters, which only its validator can check. */
type DraftRoute = ReturnType<typeof draftRoute>;

/**
 * Describes the operations that can be served, with validators from two sets of schemas. Warnings name the others, and
 * what is not checked.
 *
 * @throws InvalidDocumentError if a schema is invalid
 */
export function describeOperations(document: OpenApiDocument) {
  const { root } = document;
  const securitySchemes = describeSecuritySchemes(root);
  const { drafts, requests, responses } = draftRoutes(document, securitySchemes);
  checkSchemas([requests, responses], document);
  const compile = createCompiler(requests);
  const routes = drafts.map((draft) => addDefaults(draft, compile, document));
  if (routes.length === 0) document.warn('#/paths', 'No operation of this document can be served.');
  const table: RouteTable<ValidatorName> = {
    title: String(asObject(root.info).title ?? ''),
    basePath: toBasePath(root.servers) ?? '',
    securitySchemes,
    routes,
  };
  return { table, requests, responses, warnings: document.warnings };
}

/** Returns the drafts, and all schemas that validators need. */
function draftRoutes(document: OpenApiDocument, securitySchemes: object) {
  const { root } = document;
  const requests = new SchemaSet(document, 'requests');
  const responses = new SchemaSet(document, 'responses');
  const drafts: DraftRoute[] = [];
  // The same trie as in the router.
  const paths = new Paths<string>();
  for (const entry of operationsOf(root)) {
    const reason =
      findPathProblem(root, entry) ??
      findSecurityProblem(securityOf(root, entry.operation), securitySchemes) ??
      addPath(root, entry, paths);
    const at = document.pointerTo(entry.operation);
    if (reason === undefined) drafts.push(draftRoute(entry, requests, responses));
    else document.warn(at, `This operation is not served: ${reason}.`);
  }
  return { drafts, requests: requests.finish(), responses: responses.finish() };
}

/** Adds the valid defaults. With an invalid one, every call that omits the parameter would be rejected. */
function addDefaults(
  { route, described }: DraftRoute,
  compile: ReturnType<typeof createCompiler>,
  document: OpenApiDocument,
): Route<ValidatorName> {
  const validate = route.validateParameters && compile(route.validateParameters.id);
  const parameters = described.map(({ parameter, pointer, value }) => {
    if (value === undefined) return parameter;
    const { in: location, name } = parameter;
    const isValid = validate === undefined || validate({ [location]: { [name]: value } });
    if (isValid) return { ...parameter, default: value };
    const problem = `The default of ${location}.${name} is not used`;
    document.warn(pointer, `${problem}, because this schema rejects it. Correct it.`);
    return parameter;
  });
  return { ...route, parameters };
}

function draftRoute(entry: OperationEntry, requests: SchemaSet, responses: SchemaSet) {
  const { path, method, operation } = entry;
  const { document } = requests;
  const { root } = document;
  const { described, schema } = describeParameters(operation, path, document);
  const passThrough = operation['x-berth-pass-through'] === true;
  const scopes = securityOf(root, operation) as Record<string, string[]>[];
  const hasScopes = scopes.some((alternative) => Object.values(alternative).flat().length > 0);
  const validateParameters = requests.add(schema, document.pointerTo(operation, 'parameters'));
  const { content, required } = follow(root, operation.requestBody);
  const hasBody = !passThrough && isObject(operation.requestBody);
  const route: Route<ValidatorName> = {
    operationId: String(operation.operationId),
    method: method.toUpperCase(),
    path: toFullPath(root, entry),
    parameters: described.map(({ parameter }) => parameter),
    ...(validateParameters && { validateParameters }),
    ...(hasBody && {
      body: { required: required === true, content: describeContent(content, requests) },
    }),
    responses: passThrough ? [] : describeResponses(operation.responses, responses),
    ...(passThrough && { passThrough }),
    security: scopes.map(Object.keys),
    ...(hasScopes && { scopes }),
  };
  return { route, described };
}

function securityOf(root: JsonObject, operation: JsonObject): unknown {
  return operation.security ?? root.security ?? [];
}

/** The path parameter that takes the rest of the path. */
function findGreedy(root: JsonObject, { parameters }: JsonObject): string | undefined {
  const objects = toList(parameters).map((value) => follow(root, value));
  return objects.find((parameter) => parameter['x-berth-greedy'] === true)?.name as
    | string
    | undefined;
}

function findPathProblem(root: JsonObject, { path, operation }: OperationEntry) {
  if (!/^\/(?:[^{}?#]|\{[^{}/]*\})*$/.test(path)) {
    return 'its path must start with a slash, and have neither a query, an unmatched brace, nor a slash in a parameter name';
  }
  const greedy = findGreedy(root, operation);
  if (greedy !== undefined && !path.endsWith(`/{${greedy}}`)) {
    return 'its x-berth-greedy parameter must be its last segment';
  }
  return /(\{[^{}]*\}).*\1/.test(path) ? 'its path has a parameter twice' : undefined;
}

/** Adds the path of an operation to those before it. Returns why it cannot be added. */
function addPath(root: JsonObject, entry: OperationEntry, paths: Paths<string>) {
  const { method, operation } = entry;
  const greedy = findGreedy(root, operation);
  const id = String(operation.operationId);
  const existing = paths.add(method, toFullPath(root, entry), greedy, id);
  return existing && `${existing} matches the same requests`;
}

function toFullPath(root: JsonObject, { path, item, operation }: OperationEntry): string {
  const servers = [operation.servers, item.servers, root.servers].map(toBasePath);
  return `${servers.find((basePath) => basePath !== undefined) ?? ''}${path}`;
}

/** Returns `undefined` if there is no list; those one level up then apply. Relative URLs are resolved with `/`. */
function toBasePath(servers: unknown): string | undefined {
  const [server] = toList(servers);
  if (!isObject(server)) return undefined;
  let url = String(server.url ?? '/');
  for (const [name, variable] of entriesOf(server.variables)) {
    url = url.replaceAll(`{${name}}`, (text) => String(asObject(variable).default ?? text));
  }
  const path = url.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.') segments.push(segment);
  }
  const inner = segments.join('/').replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}

/** Headers that the router or Node.js adds to each response that can have them. */
const SENT_BY_RUNTIME = /^(?:content-type|date|connection|keep-alive|transfer-encoding)$/;

/** Statuses before their range, `default` last. If none is documented, any JSON is allowed. */
function describeResponses(value: unknown, set: SchemaSet): Route<ValidatorName>['responses'] {
  const { root } = set.document;
  const responses = entriesOf(value)
    .filter(([status]) => /^(?:default|[1-5](?:XX|\d\d))$/.test(status))
    .map(([status, entry]) => {
      const { headers, content } = follow(root, entry);
      const required = entriesOf(headers)
        .filter(([, header]) => follow(root, header).required === true)
        .map(([name]) => name.toLowerCase())
        .filter((name) => !SENT_BY_RUNTIME.test(name));
      return {
        status,
        ...(required.length > 0 && { requiredHeaders: required }),
        content: describeContent(content, set),
      };
    });
  if (responses.length > 0) return responses.sort((a, b) => (a.status < b.status ? -1 : 1));
  return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
}

/** Of responses, only JSON is validated, because text and bytes may be streams. */
function describeContent(content: unknown, set: SchemaSet) {
  const { document } = set;
  const isRequest = set.name === 'requests';
  return entriesOf(content).map(([mediaType, media]) => {
    const schema = asObject(media).schema ?? true;
    const types = [...document.reader.typesOf(schema)];
    const kind = kindOf(
      mediaType,
      types.every((type) => type === 'string'),
    );
    const fields = kind === 'form' && isRequest && describeFields(media, schema, document);
    const isText = types.every((type) => type === 'string' || type === 'null');
    const isChecked = kind === 'json' || fields || (kind === 'text' && isText && isRequest);
    const pointer = document.pointerTo(content, mediaType, 'schema');
    const validate = isChecked && set.add(schema, pointer);
    if (isRequest && !isText && /^text\//i.test(mediaType)) {
      document.warn(
        pointer,
        'This schema is not checked, because it allows values other than text.',
      );
    }
    const parts = document.reader.partsInAllOf(schema);
    const unwrap = isRequest && parts.map((part) => part['x-berth-unwrap']).find(Boolean);
    return {
      mediaType,
      kind,
      ...(fields && fields.length > 0 && { fields }),
      ...(typeof unwrap === 'string' && { unwrap, unwrapFields: [...propertiesOf(parts).keys()] }),
      ...(validate && { validate }),
    };
  });
}

function describeSecuritySchemes(root: JsonObject): Record<string, SecurityScheme> {
  const schemes = entriesOf(asObject(root.components).securitySchemes).flatMap(([id, entry]) => {
    const scheme = toScheme(follow(root, entry));
    return scheme === undefined ? [] : [[id, scheme] as const];
  });
  return Object.fromEntries(schemes);
}

function toScheme({ type, scheme, in: location, name }: JsonObject): SecurityScheme | undefined {
  if (type === 'http' && typeof scheme === 'string') return { type, scheme: scheme.toLowerCase() };
  if (type === 'oauth2' || type === 'openIdConnect' || type === 'mutualTLS') return { type };
  if (type !== 'apiKey' || typeof name !== 'string') return undefined;
  if (location === 'header') return { type, in: location, name: name.toLowerCase() };
  return location === 'query' || location === 'cookie' ? { type, in: location, name } : undefined;
}

function findSecurityProblem(security: unknown, schemes: object): string | undefined {
  if (!Array.isArray(security) || !security.every(isObject)) {
    return 'its security must be a list of objects';
  }
  const unknown = security.flatMap(Object.keys).find((name) => !Object.hasOwn(schemes, name));
  if (unknown === undefined) return undefined;
  return `there is no valid security scheme ${JSON.stringify(unknown)}. Define it in components.securitySchemes`;
}
