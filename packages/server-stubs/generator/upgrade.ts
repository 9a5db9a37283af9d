import { upgrade } from '@scalar/openapi-upgrader';
import { entriesOf, follow, isObject, type JsonObject, METHODS } from './document.ts';
import { Names, toVariableName } from './names.ts';
import { subschemasOf } from './schemas.ts';

/** Returns a document in OpenAPI 3.1, in which every operation has its final, unique `operationId`. */
export function upgradeDocument(document: JsonObject): JsonObject {
  const upgraded = toLatest(document);
  nameOperations(upgraded);
  return upgraded;
}

function toLatest(document: JsonObject): JsonObject {
  if ('openapi' in document && !String(document.openapi).startsWith('3.0.')) return document;
  if ('swagger' in document) prepareSwagger(document);
  visitSchemas(document, dropSiblings);
  const upgraded = upgrade(document, '3.1') as JsonObject;
  visitSchemas(upgraded, repairSchema);
  return upgraded;
}

/** What upgrading loses of Swagger 2.0. */
function prepareSwagger(document: JsonObject): void {
  for (const [, item] of entriesOf(document.paths)) {
    for (const owner of [item, ...Object.values(Object(item))]) {
      if (!isObject(owner) || !Array.isArray(owner.parameters)) continue;
      owner.parameters = owner.parameters.map((each) => {
        // A reference to a body or to a form would stay among the parameters.
        const parameter = structuredClone(follow(document, each, '#').value);
        const isForm = parameter.in === 'formData' && parameter.type === 'array';
        // The default of a form would become `multi`.
        if (isForm) parameter.collectionFormat ??= 'csv';
        // OpenAPI 3 has no style for it, so it is one that is not supported.
        if (parameter.collectionFormat === 'tsv') parameter.style = 'tsv';
        return parameter;
      });
    }
  }
}

const SIBLINGS = /^(?:\$ref|nullable|readOnly|writeOnly|description|title|deprecated|x-.*)$/;

/** OpenAPI 3.0.4 §4.7.23: what is next to `$ref` "SHALL be ignored". Later versions apply it. */
function dropSiblings(schema: JsonObject): void {
  if (typeof schema.$ref !== 'string') return;
  for (const key of Object.keys(schema)) if (!SIBLINGS.test(key)) delete schema[key];
}

/** What upgrading loses of the schemas of OpenAPI 3.0. */
function repairSchema(schema: JsonObject): void {
  if (schema.contentEncoding === 'base64') schema.format = 'byte';
  if (schema.contentMediaType === 'application/octet-stream') schema.type ??= 'string';
  // `nullable` is only kept next to `type`, `$ref` and `allOf`.
  const choices = schema.oneOf ?? schema.anyOf;
  if (schema.nullable === true && Array.isArray(choices)) choices.push({ type: 'null' });
  delete schema.nullable;
}

/** Visits all schemas of a document, but not examples and extensions, which may look like schemas. */
function visitSchemas(value: unknown, visit: (schema: JsonObject) => void): void {
  for (const [key, each] of Array.isArray(value) ? value.entries() : entriesOf(value)) {
    if (key === 'schema') visitSchema(each, visit);
    else if (key === 'schemas' || key === 'definitions') {
      for (const [, schema] of entriesOf(each)) visitSchema(schema, visit);
    } else if (!/^(?:examples?|x-.*)$/.test(String(key))) visitSchemas(each, visit);
  }
}

function visitSchema(schema: unknown, visit: (schema: JsonObject) => void): void {
  if (!isObject(schema)) return;
  visit(schema);
  for (const each of subschemasOf(schema)) visitSchema(each, visit);
}

/** Gives a name to each operation that has none. Path items that share a component share no operation. */
function nameOperations(document: JsonObject): void {
  const operations: { name: string; operation: JsonObject }[] = [];
  const paths = Object(document.paths);
  for (const [path, item] of entriesOf(paths)) {
    paths[path] = structuredClone(follow(document, item, '#').value);
    for (const method of METHODS) {
      const operation = paths[path][method];
      if (isObject(operation)) {
        operations.push({ name: toVariableName(`${method} ${path}`), operation });
      }
    }
  }
  const names = new Names();
  const unnamed = operations.filter(
    ({ operation: { operationId } }) =>
      typeof operationId !== 'string' || names.take(operationId) !== operationId,
  );
  for (const { name, operation } of unnamed) operation.operationId = names.take(name);
}
