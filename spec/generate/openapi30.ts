import { Converter } from '@apiture/openapi-down-convert';
import type { Any } from './read.ts';

/**
 * Converts a document to OpenAPI 3.0 for Dredd, and then reduces it to what Dredd's parser accepts without a
 * warning. Dredd silently drops responses that it does not understand, so whatever it cannot run is removed here:
 * multipart forms, media type ranges, and streams, for whose end it would wait.
 */
export function toOpenapi30(source: object): Any {
  const document: Any = new Converter(structuredClone(source)).convert();
  const paths: Any = {};
  for (const [path, item] of Object.entries<Any>(document.paths)) {
    const operations = ['get', 'post']
      .filter((method) => item[method] && !isForm(document, item[method]))
      .map((method) => [method, toOperation(document, item[method])]);
    if (operations.length === 0) continue;
    const parameters = toPathParameters(document, item.parameters);
    paths[path] = { parameters, ...Object.fromEntries(operations) };
  }
  return {
    openapi: document.openapi,
    info: { title: document.info.title, version: document.info.version },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: mapValues(document.components.schemas, toSchema) },
  };
}

function isForm(document: Any, { requestBody }: Any): boolean {
  return resolve(document, requestBody)?.content['multipart/form-data'] !== undefined;
}

/**
 * The summary is the operationId, because Dredd names its transactions by summary. `x-berth-status` is the
 * documented status of each response.
 */
function toOperation(document: Any, { operationId, description, requestBody, responses }: Any) {
  const toCopies = (content: Any) => mapValues(content, (media) => toContent(document, media));
  // Dredd supports no ranges.
  const toStatus = (status: string) => {
    if (status === 'default') return '4XX' in responses ? '500' : '400';
    return status.replace('XX', '00');
  };
  const entries = Object.entries<Any>(responses).map(([status, node]) => {
    const response = resolve(document, node);
    const content = Object.entries<Any>(response.content ?? {}).filter(
      ([type]) => !type.includes('*') && type !== 'text/event-stream',
    );
    const copy = { description: response.description, 'x-berth-status': status };
    if (content.length === 0) return [toStatus(status), copy];
    return [toStatus(status), { ...copy, content: toCopies(Object.fromEntries(content)) }];
  });
  const body = requestBody && { content: toCopies(resolve(document, requestBody).content) };
  return {
    operationId,
    summary: operationId,
    description,
    ...(body && { requestBody: body }),
    responses: Object.fromEntries(entries),
  };
}

/** Path parameters only: Dredd would send every optional header that has an example. */
function toPathParameters(document: Any, nodes: Any[] = []) {
  return nodes
    .map((node) => resolve(document, node))
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, description = '', example }) => ({
      ...{ name, in: 'path', required: true, description, example },
      schema: { type: 'string' },
    }));
}

/** One inline `example`, and the reduced schema. */
function toContent(document: Any, media: Any) {
  const [first] = Object.values<Any>(media.examples ?? {});
  const example = first === undefined ? media.example : resolve(document, first).value;
  return { example, schema: media.schema && toSchema(media.schema) };
}

/** Schema keywords that Dredd's parser supports; all others cause a warning, or worse. */
const KEYWORDS = ['type', 'enum', 'title', 'description', 'default', 'example', 'nullable'];

/** Reduces an OpenAPI 3.0 schema: no constraints, and only the first branch of `oneOf`. */
function toSchema(schema: Any): Any {
  const { $ref, oneOf, required, properties, items } = schema;
  if ($ref !== undefined) return { $ref };
  if (oneOf !== undefined) return toSchema(oneOf[0]);
  const kept = KEYWORDS.filter((key) => key in schema).map((key) => [key, schema[key]]);
  return {
    ...Object.fromEntries(kept),
    required,
    properties: properties && mapValues(properties, toSchema),
    items: items && toSchema(items),
  };
}

function mapValues(object: Any, map: (value: Any) => Any): Any {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/** Follows a `$ref` into the document. */
function resolve(document: Any, node: Any): Any {
  if (node?.$ref === undefined) return node;
  const names = node.$ref.split('/').slice(1);
  return names.reduce((parent: Any, name: string) => parent[name], document);
}
