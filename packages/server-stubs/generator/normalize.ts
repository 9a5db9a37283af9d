import { upgrade } from '@scalar/openapi-upgrader';
import { asObject, entriesOf, follow, type JsonObject, toList } from './json.ts';
import { Names, toVariableName } from './names.ts';
import { operationsOf } from './openapi.ts';
import { createSchemaReader, visitSchemas } from './subschemas.ts';

/**
 * Changes a document in OpenAPI 3.1. Each operation gets its final, unique `operationId`, and all its parameters,
 * including those of its path.
 */
export function normalizeDocument(root: JsonObject): void {
  visitSchemas(root, (schema) => flatten(schema, root));
  const paths = asObject(root.paths);
  for (const [path, item] of entriesOf(paths)) {
    // Path items that share a component share no operation. Shared parameters come first, where they are defined.
    paths[path] = { parameters: [], ...structuredClone(follow(root, item)) };
  }
  for (const { item, operation } of operationsOf(root)) {
    operation.parameters = mergeParameters(root, item, operation);
    const responses = entriesOf(operation.responses).map(([key, response]) => {
      // People write `4xx`, but OpenAPI 3.1.1 §4.8.16.2 requires `4XX`.
      return [/^\dxx$/i.test(key) ? key.toUpperCase() : key, response];
    });
    operation.responses = Object.fromEntries(responses);
  }
  nameOperations(root);
}

/** Parameters of an operation override those of its path: OpenAPI 3.1.1 §4.8.9.1. Header names ignore case. */
function mergeParameters(root: JsonObject, item: JsonObject, operation: JsonObject): unknown[] {
  // The operation's come first, so that their pointers stay the same.
  const parameters = [operation.parameters, item.parameters].flatMap(toList);
  const byName = Map.groupBy(parameters, (value) => {
    const { in: location, name } = follow(root, value);
    return `${location} ${location === 'header' ? String(name).toLowerCase() : name}`;
  });
  return [...byName.values()].map(([first]) => first);
}

function nameOperations(root: JsonObject): void {
  const operations = operationsOf(root);
  const names = new Names();
  const named = new Map<unknown, JsonObject>();
  for (const { operation } of operations) {
    const { operationId: id } = operation;
    if (typeof id !== 'string' || named.has(id)) continue;
    named.set(id, operation);
    names.take(id);
  }
  for (const { path, method, operation } of operations) {
    if (named.get(operation.operationId) === operation) continue;
    operation.operationId = names.take(toVariableName(`${method} ${path}`));
  }
}

/** Keeps the alternative with flat fields, which validators and handlers see. In the other, `name` contains them. */
function flatten(schema: JsonObject, root: JsonObject): void {
  const name = schema['x-berth-unwrap'];
  const isFlat = (part: unknown) => !toList(follow(root, part).required).includes(name);
  const flat = typeof name === 'string' && toList(schema.oneOf).find(isFlat);
  if (!flat) return;
  delete schema.oneOf;
  Object.assign(schema, flat);
}

/** Converts a document to OpenAPI 3.1. @throws Error if the upgrader cannot read it */
export function toLatest(document: JsonObject): JsonObject {
  if (/^3\.1/.test(String(document.openapi))) return document;
  if ('swagger' in document) prepareSwagger(document);
  visitSchemas(document, dropSiblings);
  const upgraded = upgrade(document, '3.1') as JsonObject;
  visitSchemas(upgraded, (schema) => repairSchema(schema, upgraded));
  return upgraded;
}

/** Restores what the upgrader drops from Swagger 2.0. */
function prepareSwagger(document: JsonObject): void {
  for (const item of Object.values(asObject(document.paths))) {
    for (const owner of [item, ...Object.values(asObject(item))].map(asObject)) {
      if (!Array.isArray(owner.parameters)) continue;
      owner.parameters = owner.parameters.map((value) => {
        // A reference to a body or to a form would stay among the parameters.
        const parameter = structuredClone(follow(document, value));
        // The default of a form would become `multi`.
        if (parameter.in === 'formData') parameter.collectionFormat ??= 'csv';
        // OpenAPI 3 has no style for tab-separated values. This one is not supported, so it causes a warning.
        if (parameter.collectionFormat === 'tsv') parameter.style = 'tsv';
        return parameter;
      });
    }
  }
}

const SIBLINGS = /^(?:\$ref|nullable|readOnly|writeOnly|description|title|deprecated|x-.*)$/;

/** OpenAPI 3.0.4 §4.7.23: what is next to `$ref` "SHALL be ignored". People write annotations and `nullable` there. */
function dropSiblings(schema: JsonObject): void {
  if (typeof schema.$ref !== 'string') return;
  for (const key of Object.keys(schema)) if (!SIBLINGS.test(key)) delete schema[key];
}

/** Restores what the upgrader drops from the schemas of OpenAPI 3.0. */
function repairSchema(schema: JsonObject, root: JsonObject): void {
  if (schema.contentEncoding === 'base64') schema.format = 'byte';
  if (schema.contentMediaType === 'application/octet-stream') schema.type ??= 'string';
  // `nullable` is only kept next to `type`, `$ref` and `allOf`.
  const choices = schema.oneOf ?? schema.anyOf;
  if (schema.nullable === true && Array.isArray(choices)) {
    const reader = createSchemaReader(root);
    const isNullable = choices.some((choice) => {
      const types = reader.typesOf(choice);
      // A choice that is repaired later still has its `nullable`.
      return types.size === 0 || types.has('null') || follow(root, choice).nullable === true;
    });
    // `oneOf` rejects what two of its schemas accept.
    if (!isNullable) choices.push({ type: 'null' });
  }
  delete schema.nullable;
}
