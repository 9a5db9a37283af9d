import { isObject, type JsonObject, joinPointer, locate, METHODS } from '../contract/openapi.ts';
import { findByStatus } from '../contract/operations.ts';
import type { ApiDocument } from './load-document.ts';

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** Headers that a document cannot declare as parameters, because OpenAPI describes them elsewhere. */
const NOT_PARAMETERS = ['accept', 'content-type', 'authorization'];

export interface Parameter {
  /** The location and name of the parameter: `query limit`. */
  key: string;
  name: string;
  in: (typeof PLACES)[number];
  required: boolean;
  style: string;
  explode: boolean;
  /** Media type in which the value is serialized instead of a style: `application/json`. */
  mediaType?: string;
  schema: string | undefined;
  examples: unknown[];
}

export interface Content {
  mediaType: string;
  /** JSON pointer to the schema. */
  schema: string | undefined;
  /** JSON pointer to the schema of an event (OpenAPI 3.2). */
  itemSchema?: string;
  examples: unknown[];
}

export interface Link {
  name: string;
  /** `operationId`, or the pointer of `operationRef`. */
  operation: string;
  parameters: JsonObject;
}

export interface DocumentedResponse {
  /** `200`, `4XX` or `default`. */
  status: string;
  pointer: string;
  content: Content[];
  headers: { name: string; required: boolean; schema: string | undefined }[];
  links: Link[];
}

export interface Operation {
  /** Method and path: `GET /items/{id}`. */
  id: string;
  method: string;
  path: string;
  operationId: string | undefined;
  pointer: string;
  parameters: Parameter[];
  body: { required: boolean; content: Content[] } | undefined;
  responses: DocumentedResponse[];
  /** Names of parameters that are the entire query (OpenAPI 3.2), and of callbacks. */
  querystrings: string[];
  callbacks: string[];
}

/**
 * Returns whether a method is safe, which means that it changes nothing on the server (RFC 9110, section
 * 9.2.1).
 */
export function isSafe(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/**
 * Returns the operations of a document in the order in which they are called, so that an operation follows
 * those whose results it needs.
 */
export function listOperations({ root }: ApiDocument): Operation[] {
  const methods = [...METHODS, 'query'];
  const operations = Object.entries(Object(root.paths)).flatMap(([path, node]) => {
    const at = locate(root, node, joinPointer('#/paths', path));
    if (!path.startsWith('/') || !isObject(at.value)) return [];
    const item = at.value;
    return methods.flatMap((method) =>
      isObject(item[method]) ? [readOperation(root, path, method, item, at.pointer)] : [],
    );
  });
  return operations.toSorted((one, other) => phaseOf(one) - phaseOf(other));
}

/**
 * Returns the phase in which an operation is called. Operations in an earlier phase find or create the items
 * that later ones need.
 */
export function phaseOf({ method, path }: Operation): number {
  const depth = path.split('{').length;
  if (method === 'POST') return depth;
  if (isSafe(method)) return 100 + depth;
  return (method === 'DELETE' ? 300 : 200) + depth;
}

function readOperation(
  root: JsonObject,
  path: string,
  method: string,
  item: JsonObject,
  at: string,
): Operation {
  const pointer = joinPointer(at, method);
  const operation = item[method] as JsonObject;
  const own = readParameters(root, operation.parameters, joinPointer(pointer, 'parameters'));
  const shared = readParameters(root, item.parameters, joinPointer(at, 'parameters'));
  const named = [...own, ...shared.filter(({ key }) => !own.some((each) => each.key === key))];
  // A path may contain a parameter that is not declared.
  const missing = [...path.matchAll(/\{([^}]+)\}/g)]
    .map(([, name = '']) =>
      readParameter(root, { name, in: 'path', schema: { type: 'string' } }, ''),
    )
    .filter(({ key }) => !named.some((each) => each.key === key));
  const { value: body, pointer: bodyAt } = locate(
    root,
    operation.requestBody,
    joinPointer(pointer, 'requestBody'),
  );
  const upper = method.toUpperCase();
  return {
    ...{ id: `${upper} ${path}`, method: upper, path, pointer },
    operationId: typeof operation.operationId === 'string' ? operation.operationId : undefined,
    parameters: [...named, ...missing],
    body: isObject(body)
      ? { required: body.required === true, content: readContent(root, body.content, bodyAt) }
      : undefined,
    responses: Object.entries(Object(operation.responses)).map(([status, node]) =>
      readResponse(root, status, node, joinPointer(pointer, 'responses', status)),
    ),
    querystrings: [operation.parameters, item.parameters]
      .flatMap((nodes) => (Array.isArray(nodes) ? nodes : []))
      .map((node) => Object(locate(root, node, '').value))
      .filter((parameter) => parameter.in === 'querystring')
      .map(({ name }) => String(name)),
    callbacks: Object.keys(Object(operation.callbacks)),
  };
}

function readParameters(root: JsonObject, nodes: unknown, pointer: string): Parameter[] {
  if (!Array.isArray(nodes)) return [];
  return nodes
    .map((node, at) => locate(root, node, joinPointer(pointer, String(at))))
    .filter(({ value }) => isObject(value) && PLACES.includes(value.in as Parameter['in']))
    .map(({ value, pointer: at }) => readParameter(root, value as JsonObject, at))
    .filter((each) => each.in !== 'header' || !NOT_PARAMETERS.includes(each.name.toLowerCase()));
}

function readParameter(root: JsonObject, node: JsonObject, pointer: string): Parameter {
  const place = node.in as Parameter['in'];
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple';
  const style = typeof node.style === 'string' ? node.style : usual;
  const [content] = readContent(root, node.content, pointer);
  const schema =
    isObject(node.schema) && pointer ? joinPointer(pointer, 'schema') : content?.schema;
  return {
    ...{ key: `${place} ${node.name}`, name: String(node.name), in: place, style, schema },
    required: place === 'path' || node.required === true,
    explode: typeof node.explode === 'boolean' ? node.explode : style === 'form',
    ...(content && { mediaType: content.mediaType }),
    examples: content?.examples ?? readExamples(root, node, node.schema),
  };
}

function readContent(root: JsonObject, content: unknown, pointer: string): Content[] {
  return Object.entries(Object(content)).map(([mediaType, node]) => {
    const at = locate(root, node, joinPointer(pointer, 'content', mediaType));
    const media = isObject(at.value) ? at.value : {};
    const place = (name: string) =>
      media[name] === undefined ? undefined : joinPointer(at.pointer, name);
    const itemSchema = place('itemSchema');
    return {
      ...{ mediaType, schema: place('schema'), examples: readExamples(root, media, media.schema) },
      ...(itemSchema && { itemSchema }),
    };
  });
}

/** Returns the examples of a parameter or media type, and those of its schema. */
function readExamples(root: JsonObject, node: JsonObject, schema: unknown): unknown[] {
  const named = Object.values(Object(node.examples))
    .map((each) => locate(root, each, '').value)
    .filter(isObject)
    .map(({ value, dataValue = value }) => dataValue);
  const { value } = locate(root, schema, '');
  const { example, examples, default: usual } = isObject(value) ? value : {};
  const own = Array.isArray(examples) ? examples : [];
  return [node.example, ...named, example, ...own, usual].filter((each) => each !== undefined);
}

function readResponse(
  root: JsonObject,
  status: string,
  node: unknown,
  at: string,
): DocumentedResponse {
  const { value, pointer } = locate(root, node, at);
  const response = isObject(value) ? value : {};
  const headers = Object.entries(Object(response.headers))
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, header]) => {
      const found = locate(root, header, joinPointer(pointer, 'headers', name));
      const { required, schema } = isObject(found.value) ? found.value : {};
      const place = schema === undefined ? undefined : joinPointer(found.pointer, 'schema');
      return { name, required: required === true, schema: place };
    });
  const links = Object.entries(Object(response.links)).flatMap(([name, link]) => {
    const { value: found } = locate(root, link, '');
    if (!isObject(found)) return [];
    const operation = String(found.operationId ?? found.operationRef ?? '');
    return [{ name, operation, parameters: isObject(found.parameters) ? found.parameters : {} }];
  });
  const content = readContent(root, response.content, pointer);
  return { status: status.replace(/xx$/, 'XX'), pointer, content, headers, links };
}

export function findResponse(
  { responses }: Operation,
  status: number,
): DocumentedResponse | undefined {
  return findByStatus(responses, status)[0];
}
