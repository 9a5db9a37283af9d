import { Converter } from '@apiture/openapi-down-convert';
import {
  type Api,
  dereference,
  type MediaType,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type RequestBody,
  type ResponseObject,
} from '../src/contract/openapi.ts';
import { type Documented, findProvocation, listDocumented } from '../src/contract/operations.ts';

/**
 * Converts a contract document to OpenAPI 3.0 for Dredd, with openapi-down-convert, and then reduces it to
 * what Dredd's parser accepts without a warning. Dredd silently drops responses that it does not understand,
 * so whatever it cannot run is removed here.
 */
export function toOpenapi30(source: OpenapiDocument, api: Api): OpenapiDocument {
  const document = new Converter(source).convert() as OpenapiDocument;
  const driven = listDocumented(document).filter((entry) => isDriven(document, entry));
  const paths: Record<string, PathItem> = {};
  for (const { path, pathItem, method, operationId } of driven) {
    paths[path] ??= { parameters: toParameters(document, pathItem.parameters) };
    paths[path][method] ??= toOperation(
      document,
      api,
      driven.filter((entry) => entry.operationId === operationId),
    );
  }
  return {
    openapi: document.openapi,
    info: { title: document.info.title, version: document.info.version },
    ...{ servers: [{ url: '/' }] },
    paths,
    components: { schemas: toSchemas(document.components.schemas as Schema) },
  };
}

/** Dredd sends no multipart forms, knows no media type ranges, and waits for streams to end. */
function isDriven(document: OpenapiDocument, { operation, contentType = '' }: Documented): boolean {
  const { requestBody } = operation;
  const { content } = requestBody
    ? dereference<RequestBody>(document, requestBody, '').value
    : { content: {} };
  const isForm = content['multipart/form-data'] !== undefined;
  return !isForm && !contentType.includes('*') && contentType !== 'text/event-stream';
}

/**
 * The summary is the operationId, because Dredd names its transactions by summary. `x-berth-status` is the
 * documented status of each response.
 */
function toOperation(document: OpenapiDocument, api: Api, entries: Documented[]): Operation {
  const [{ operation }] = entries as [Documented];
  const { operationId, description, requestBody } = operation;
  const responses: Record<string, ResponseObject> = {};
  for (const { status, contentType, response } of entries) {
    const key = findProvocation({ api, status })?.copyStatus ?? status;
    responses[key] ??= { description: response.description, ...{ 'x-berth-status': status } };
    const media = contentType && response.content?.[contentType];
    if (media) {
      const content = { [contentType]: toContent(document, media) };
      responses[key].content = { ...responses[key].content, ...content };
    }
  }
  const body = requestBody && dereference<RequestBody>(document, requestBody, '').value.content;
  const content = Object.entries(body ?? {}).map(([type, media]) => [
    type,
    toContent(document, media),
  ]);
  return {
    ...{ operationId, summary: operationId },
    ...(description === undefined ? {} : { description }),
    ...(body && { requestBody: { content: Object.fromEntries(content) } }),
    responses,
  };
}

/** Path parameters only: Dredd would send every optional header that has an example. */
function toParameters(document: OpenapiDocument, nodes: Operation['parameters'] = []): Parameter[] {
  return nodes
    .map((node) => dereference<Parameter>(document, node, '').value)
    .filter((parameter) => parameter.in === 'path')
    .map(({ name, description = '', example }) => ({
      ...{ name, in: 'path', required: true, description, example },
      schema: { type: 'string' },
    }));
}

/** One inline `example`, and the reduced schema. */
function toContent(document: OpenapiDocument, media: MediaType): MediaType {
  const [first] = Object.values(media.examples ?? {});
  const example =
    first === undefined ? media.example : dereference(document, first, '').value.value;
  return {
    ...(example === undefined ? {} : { example }),
    ...(media.schema === undefined ? {} : { schema: toSchema({ ...media.schema }) }),
  };
}

/** Schema keywords that Dredd's parser supports; all others cause a warning, or worse. */
const KEYWORDS = ['type', 'enum', 'title', 'description', 'default', 'example', 'nullable'];

type Schema = Record<string, unknown>;

/** Reduces an OpenAPI 3.0 schema: no constraints, and only the first branch of `oneOf`. */
function toSchema(schema: Schema): Schema {
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref };
  const branches = schema.oneOf as Schema[] | undefined;
  if (branches?.[0]) return toSchema(branches[0]);
  const out: Schema = Object.fromEntries(
    KEYWORDS.filter((key) => key in schema).map((key) => [key, schema[key]]),
  );
  if (schema.required) out.required = schema.required;
  if (schema.properties) out.properties = toSchemas(schema.properties as Schema);
  if (schema.items) out.items = toSchema(schema.items as Schema);
  return out;
}

function toSchemas(schemas: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, toSchema(schema as Schema)]),
  );
}
