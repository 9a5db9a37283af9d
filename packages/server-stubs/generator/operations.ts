import { kindOf } from '../src/runtime/portable/content-kinds.ts';
import { Paths } from '../src/runtime/portable/paths.ts';
import type {
  Content,
  DocumentedResponse,
  RequestBody,
  Route,
  RouteTable,
  SecurityScheme,
} from '../src/runtime/portable/route-table.ts';
import { describeFields, describeParameters, typesOf } from './describe-parameters.ts';
import {
  asObject,
  entriesOf,
  follow,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  operationsOf,
  toList,
} from './openapi.ts';
import { SchemaSet, type ValidatorName } from './schema-set.ts';
import { ALL_OF, propertiesOf } from './subschemas.ts';
import { checkSchemas } from './validators.ts';

type FoundOperation = ReturnType<typeof operationsOf>[number];

/**
 * Describes the operations that can be served, with validators from two sets of schemas. Warns about the others.
 *
 * @throws InvalidDocumentError if a schema is invalid
 */
export function describeOperations(document: OpenApiDocument) {
  const requests = new SchemaSet(document, 'requests');
  const responses = new SchemaSet(document, 'responses');
  const { root } = document;
  const securitySchemes = describeSecuritySchemes(root);
  const routes: Route<ValidatorName>[] = [];
  // As `createRouter` keeps them: operationIds by path and method.
  const paths = new Paths<string>();
  for (const found of operationsOf(root)) {
    const { path, method, operation } = found;
    const id = String(operation.operationId);
    const greedy = findGreedy(root, operation);
    const reason =
      findPathProblem(path, greedy) ??
      findSecurityProblem(securityOf(root, operation), securitySchemes) ??
      describeConflict(paths.add(method, toFullPath(root, found), greedy, id));
    if (reason) {
      document.warn(document.pointerTo(operation), `This operation is not served: ${reason}.`);
      continue;
    }
    routes.push(describeRoute(found, requests, responses));
  }
  checkSchemas([...requests.schemas.values(), ...responses.schemas.values()], document);
  if (routes.length === 0) document.warn('#/paths', 'No operation of this document can be served.');
  const table: RouteTable<ValidatorName> = {
    title: String(asObject(root.info).title ?? ''),
    basePath: toBasePath(root.servers) ?? '',
    securitySchemes,
    routes,
  };
  return { table, requests, responses };
}

function describeRoute(
  found: FoundOperation,
  requests: SchemaSet,
  responses: SchemaSet,
): Route<ValidatorName> {
  const { path, method, operation } = found;
  const { document } = requests;
  const { parameters, schema } = describeParameters(operation, path, document);
  const isRaw = operation['x-berth-pass-through'] === true;
  const alternatives = securityOf(document.root, operation) as Record<string, string[]>[];
  const hasScopes = alternatives.some((schemes) => Object.values(schemes).flat().length > 0);
  const validateParameters = requests.add(schema, document.pointerTo(operation, 'parameters'));
  const body = isRaw ? undefined : describeBody(operation.requestBody, requests);
  return {
    operationId: String(operation.operationId),
    method: method.toUpperCase(),
    path: toFullPath(document.root, found),
    parameters,
    ...(validateParameters && { validateParameters }),
    ...(body && { body }),
    responses: isRaw ? [] : describeResponses(operation.responses, responses),
    ...(isRaw && { passThrough: true }),
    security: alternatives.map(Object.keys),
    ...(hasScopes && { scopes: alternatives }),
  };
}

function securityOf(root: JsonObject, operation: JsonObject): unknown {
  return operation.security ?? root.security ?? [];
}

/** The path parameter that takes the rest of the path. */
function findGreedy(root: JsonObject, { parameters }: JsonObject): string | undefined {
  const all = toList(parameters).map((value) => follow(root, value));
  return all.find((parameter) => parameter['x-berth-greedy'] === true)?.name as string | undefined;
}

function findPathProblem(path: string, greedy: string | undefined): string | undefined {
  if (!/^\/(?:[^{}?#]|\{[^{}/]*\})*$/.test(path)) {
    return 'its path must start with a slash, and have neither a query, an unmatched brace, nor a slash in a parameter name';
  }
  if (greedy !== undefined && !path.endsWith(`/{${greedy}}`)) {
    return 'its x-berth-greedy parameter must be its last segment';
  }
  return /(\{[^{}]*\}).*\1/.test(path) ? 'its path has a parameter twice' : undefined;
}

/** The path with that of the server. */
function toFullPath(root: JsonObject, { path, item, operation }: FoundOperation): string {
  const servers = [operation.servers, item.servers, root.servers].map(toBasePath);
  return `${servers.find((basePath) => basePath !== undefined) ?? ''}${path}`;
}

/** Returns `undefined` if there is no list; the servers one level up then apply. */
function toBasePath(servers: unknown): string | undefined {
  const [server] = toList(servers);
  if (!isObject(server)) return undefined;
  let url = String(server.url ?? '/');
  for (const [name, variable] of entriesOf(server.variables)) {
    url = url.replaceAll(`{${name}}`, (text) => String(asObject(variable).default ?? text));
  }
  const path = url.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\/[^/?#]*/i, '').replace(/[?#].*$/, '');
  const inner = path.replace(/^\/+|\/+$/g, '');
  return inner === '' ? '' : `/${inner}`;
}

function describeBody(value: unknown, schemas: SchemaSet): RequestBody<ValidatorName> | undefined {
  if (!isObject(value)) return undefined;
  const { root } = schemas.document;
  const { content, required } = follow(root, value);
  const { schema } = asObject(Object.values(asObject(content))[0]);
  const unwrap = asObject(schema)['x-berth-unwrap'];
  const fields = propertiesOf(root, schema, ALL_OF).map(([name]) => name);
  return {
    required: required === true,
    ...(typeof unwrap === 'string' && { unwrap, unwrapFields: fields }),
    content: describeContent(content, schemas, true),
  };
}

/** Headers that the router or Node.js adds to each response that can have them. */
const SENT_BY_RUNTIME = /^(?:content-type|date|connection|keep-alive|transfer-encoding)$/;

/** Statuses before their range, `default` last. If none is documented, any JSON is allowed. */
function describeResponses(
  value: unknown,
  schemas: SchemaSet,
): DocumentedResponse<ValidatorName>[] {
  const { root } = schemas.document;
  const responses = entriesOf(value)
    .filter(([status]) => /^(?:default|[1-5](?:XX|\d\d))$/.test(status))
    .map(([status, entry]): DocumentedResponse<ValidatorName> => {
      const { headers, content } = follow(root, entry);
      const required = entriesOf(headers)
        .filter(([, header]) => follow(root, header).required === true)
        .map(([name]) => name.toLowerCase())
        .filter((name) => !SENT_BY_RUNTIME.test(name));
      return {
        status,
        ...(required.length > 0 && { requiredHeaders: required }),
        content: describeContent(content, schemas, false),
      };
    });
  if (responses.length > 0) return responses.sort((a, b) => (a.status < b.status ? -1 : 1));
  return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
}

/** Of responses, only JSON is validated, because text and bytes may be streams. */
function describeContent(
  content: unknown,
  schemas: SchemaSet,
  isRequest: boolean,
): Content<ValidatorName>[] {
  const { document } = schemas;
  return entriesOf(content).map(([mediaType, media]): Content<ValidatorName> => {
    const schema = asObject(media).schema ?? true;
    const isText = [...typesOf(document.root, schema)].every((type) => type === 'string');
    const kind = kindOf(mediaType, isText);
    const fields = kind === 'form' && isRequest && describeFields(media, schema, document);
    const isChecked = kind === 'json' || fields || (kind === 'text' && isText && isRequest);
    const validate = isChecked
      ? schemas.add(schema, document.pointerTo(media, 'schema'))
      : undefined;
    return {
      mediaType,
      kind,
      ...(fields && fields.length > 0 && { fields }),
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

function toScheme({ type, scheme, in: place, name }: JsonObject): SecurityScheme | undefined {
  if (type === 'http') return { type, scheme: String(scheme).toLowerCase() };
  if (type === 'oauth2' || type === 'openIdConnect' || type === 'mutualTLS') return { type };
  if (type !== 'apiKey' || typeof name !== 'string') return undefined;
  if (place === 'header') return { type, in: place, name: name.toLowerCase() };
  return place === 'query' || place === 'cookie' ? { type, in: place, name } : undefined;
}

function describeConflict(existing: string | undefined): string | undefined {
  return existing && `${existing} matches the same requests`;
}

function findSecurityProblem(security: unknown, schemes: object): string | undefined {
  if (!Array.isArray(security) || !security.every(isObject)) {
    return 'its security must be a list of objects';
  }
  const unknown = security.flatMap(Object.keys).find((name) => !Object.hasOwn(schemes, name));
  if (unknown === undefined) return undefined;
  return `there is no valid security scheme ${JSON.stringify(unknown)}. Define it in components.securitySchemes`;
}
