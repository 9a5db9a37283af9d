import { Converter } from '@apiture/openapi-down-convert';
import { type Any, mapValues } from './read.ts';

/**
 * Converts a document to OpenAPI 3.0 for Dredd, and then reduces it to what Dredd's parser accepts without a
 * warning. Dredd silently drops responses that it does not understand, so whatever it cannot run is removed here:
 * multipart forms, media type ranges, and streams, for whose end it would wait.
 */
export function toOpenapi30(source: object): Any {
  const { openapi, info, paths, components }: Any = new Converter(
    structuredClone(source),
  ).convert();

  return {
    openapi,
    info: { title: info.title, version: info.version },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(Object.entries<Any>(paths).flatMap(toPath)),
    components: { schemas: mapValues(components.schemas, toSchema) },
  };

  function toPath([path, { parameters, ...item }]: [string, Any]) {
    const operations = ['get', 'post']
      .filter((method) => item[method] && !isForm(item[method]))
      .map((method) => [method, toOperation(item[method])]);
    if (operations.length === 0) return [];
    return [[path, { parameters: toParameters(parameters), ...Object.fromEntries(operations) }]];
  }

  function isForm({ requestBody }: Any): boolean {
    return resolve(requestBody)?.content['multipart/form-data'] !== undefined;
  }

  /** The summary is the operationId, because Dredd names its transactions by summary. */
  function toOperation({ operationId, description, requestBody, responses }: Any) {
    const entries = Object.entries(responses).map(([status, response]) => [
      toStatus(status, responses),
      toResponse(status, resolve(response)),
    ]);
    const body = requestBody && { content: mapValues(resolve(requestBody).content, toContent) };
    return {
      operationId,
      summary: operationId,
      description,
      requestBody: body,
      responses: Object.fromEntries(entries),
    };
  }

  /** `x-berth-status` is the documented status. */
  function toResponse(status: string, { description, content = {} }: Any) {
    const types = Object.entries<Any>(content).filter(
      ([type]) => !type.includes('*') && type !== 'text/event-stream',
    );
    const own = types.length > 0 ? mapValues(Object.fromEntries(types), toContent) : undefined;
    return { description, 'x-berth-status': status, content: own };
  }

  /** Path parameters only: Dredd would send every optional header that has an example. */
  function toParameters(nodes: Any[] = []) {
    return nodes
      .map(resolve)
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, description = '', example }) => {
        const schema = { type: 'string' };
        return { name, in: 'path', required: true, description, example, schema };
      });
  }

  /** One inline `example`, and the reduced schema. */
  function toContent({ examples = {}, example, schema }: Any) {
    const [first = { value: example }] = Object.values<Any>(examples);
    return { example: resolve(first).value, schema: schema && toSchema(schema) };
  }

  /** Follows a `$ref` to a component. */
  function resolve(node: Any): Any {
    if (node?.$ref === undefined) return node;
    const [kind, name] = node.$ref.split('/').slice(-2);
    return components[kind][name];
  }
}

/** Dredd supports no ranges. */
function toStatus(status: string, responses: object): string {
  if (status === 'default') return '4XX' in responses ? '500' : '400';
  return status.replace('XX', '00');
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
