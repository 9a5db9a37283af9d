import {
  addJSDocComment,
  astToString,
  type GlobalContext,
  resolveRef,
  scanDiscriminators,
  transformSchema,
  tsPropertyIndex,
} from 'openapi-typescript';
import ts from 'typescript';
import type { RouteTable } from '../src/runtime/route-table.ts';
import {
  decodeReference,
  entriesOf,
  isObject,
  type JsonObject,
  follow as locate,
  toList,
} from './document.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** OpenAPI 3.1.1, section 4.8.12.1: header parameters with these names are ignored. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];

const MARKS = ['readOnly', 'writeOnly'];
/** Of schemas that only refer to others. */
const MAX_DEPTH = 20;

/**
 * Writes the types of a document with openapi-typescript. From its `operations`, `src/runtime/handlers.ts` derives
 * the types of handlers.
 */
export function writeTypes(document: JsonObject, { routes }: Pick<RouteTable, 'routes'>): string {
  const served = new Set(routes.map(({ operationId }) => operationId));
  const operations = new Map<string, Described>();
  const typed = toTypedDocument(document, served, operations) as never;
  // Its main function would check the document a second time, with an older Redocly.
  const nodes = transformSchema(typed, {
    // A request may omit what has a default.
    defaultNonNullable: false,
    // An object without properties may have any.
    emptyObjectsUnknown: true,
    readWriteMarkers: hasMarkers(document),
    discriminators: scanDiscriminators(typed, SILENT),
    injectFooter: [],
    resolve: (reference: string) => resolveRef(typed, reference, SILENT),
  } as Partial<GlobalContext> as GlobalContext);
  return fromSafe(astToString(nodes.map((node) => describeOperations(node, operations))));
}

const SILENT = { silent: true };

/** Whether requests and responses differ. */
function hasMarkers(document: JsonObject): boolean {
  return MARKS.some((mark) => JSON.stringify(document).includes(`"${mark}":true`));
}

interface Described extends JsonObject {
  readonly operationId: string;
  readonly title?: string;
}

/** Names the operations as the document does, and describes them, for editors to show at handlers. */
function describeOperations(node: ts.Node, operations: ReadonlyMap<string, Described>): ts.Node {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'operations') return node;
  const members = node.members.filter(ts.isPropertySignature).map((member) => {
    const operation = operations.get((member.name as ts.Identifier).text);
    if (operation === undefined) return member;
    const name = tsPropertyIndex(operation.operationId);
    const named = ts.factory.createPropertySignature([], name, undefined, member.type);
    addJSDocComment(operation, named);
    return named;
  });
  return ts.factory.createInterfaceDeclaration(node.modifiers, node.name, [], [], members);
}

/**
 * Returns a copy of a document in which each part has the type that handlers know it by.
 *
 * @param operations gets the operations, by their names in the copy
 */
function toTypedDocument(
  document: JsonObject,
  served: ReadonlySet<string>,
  operations: Map<string, Described>,
): JsonObject {
  const { webhooks: _, paths, components, ...others } = document;
  const items = entriesOf(paths).map(([path, item]) => {
    const known = entriesOf(item).filter(([method]) => METHODS.includes(method));
    const methods = known.flatMap(([method, value]) => {
      const { parameters, ...operation } = value as Described;
      if (!served.has(operation.operationId)) return [];
      const name = toSafe(operation.operationId);
      operations.set(name, { ...operation, title: `\`${method.toUpperCase()} ${path}\`` });
      const merged = toParameters(document, [
        ...toList(Object(item).parameters),
        ...toList(parameters),
      ]);
      const content = operation['x-berth-pass-through'] === true ? PASS_THROUGH : {};
      return [[method, { ...operation, operationId: name, parameters: merged, ...content }]];
    });
    return [path, Object.fromEntries(methods)];
  });
  const typed = { ...others, paths: Object.fromEntries(items), components };
  return toTyped(typed, document) as JsonObject;
}

/** Request and response are streams. */
const PASS_THROUGH = {
  requestBody: { required: true, content: { '*/*': {} } },
  responses: { default: { description: 'Any response.', content: { '*/*': {} } } },
};

/** The last one with a name counts. Handlers always get a value where there is a default. */
function toParameters(document: JsonObject, values: readonly unknown[]): JsonObject[] {
  const parameters = new Map<string, JsonObject>();
  for (const value of values) {
    const { content, ...parameter } = follow(document, value);
    const name = String(parameter.name);
    if (parameter.in === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) continue;
    const schema = parameter.schema ?? Object(Object.values(Object(content))[0]).schema ?? {};
    const required = parameter.required === true || follow(document, schema).default !== undefined;
    parameters.set(`${parameter.in} ${name}`, {
      ...parameter,
      name: toSafe(name),
      schema,
      required,
    });
  }
  return [...parameters.values()];
}

function toTyped(value: unknown, document: JsonObject): unknown {
  if (Array.isArray(value)) return value.map((each) => toTyped(each, document));
  if (!isObject(value)) return value;
  const { 'x-berth-content': content, 'x-berth-unwrap': wrapper, ...node } = value;
  if (typeof wrapper === 'string') {
    // The router unwraps the fields.
    const isFlat = (each: unknown) => !propertiesOf(follow(document, each)).has(wrapper);
    return toTyped(toList(node.oneOf).find(isFlat), document);
  }
  if (content !== undefined) node.content = { ...Object(node.content), ...Object(content) };
  if (isObject(node.discriminator)) node.discriminator = toReferring(node.discriminator);
  if (isObject(node.headers)) {
    const headers = Object.entries(node.headers).map(([name, each]) => [
      name,
      follow(document, each),
    ]);
    node.headers = Object.fromEntries(headers);
  }
  if (propertiesOf(node).size > 0) {
    node.properties = toMarked(propertiesOf(node), document);
    node.additionalProperties = isOpen(node);
    delete node.patternProperties;
  }
  // openapi-typescript applies what is required to the parts of an `allOf`, but not from one part to another.
  const required = [node, ...toList(node.allOf)].flatMap((each) => toList(Object(each).required));
  if (required.length > 0) node.required = required.map(toSafe);
  if (typeof node.$ref === 'string') {
    // Types know no `$anchor` and no `$id`.
    if (!node.$ref.startsWith('#/')) return {};
    node.$ref = toSafeReference(node.$ref);
  }
  const entries = Object.entries(node).map(([name, each]) => [
    toSafe(name),
    toTyped(each, document),
  ]);
  return Object.fromEntries(entries);
}

/** openapi-typescript decodes names as if they were parts of URIs, and fails if they are not. */
function toSafe(name: unknown): string {
  return String(name).replaceAll('%', '\uE025').replaceAll('#', '\uE023');
}

function toSafeReference(reference: string): string {
  return `#${toSafe(decodeReference(reference).slice(1))}`;
}

function fromSafe(code: string): string {
  return code.replace(/\\uE025|\uE025/g, '%').replace(/\\uE023|\uE023/g, '#');
}

/** A mapping may name a schema instead of referring to it. */
function toReferring({ propertyName, mapping }: JsonObject): JsonObject {
  const entries = entriesOf(mapping).map(([value, target]) => {
    const isName = typeof target === 'string' && /^[\w.-]+$/.test(target);
    return [value, isName ? `#/components/schemas/${target}` : toSafeReference(String(target))];
  });
  return { propertyName: toSafe(propertyName), mapping: Object.fromEntries(entries) };
}

/**
 * Without an index signature, a misspelled property is a compile error. A schema of other properties would apply
 * to the named ones as well.
 */
function isOpen({ additionalProperties, patternProperties }: JsonObject): boolean {
  return isObject(additionalProperties) || patternProperties !== undefined;
}

/** Copies `readOnly` and `writeOnly` from the schema that a property refers to. */
function toMarked(properties: ReadonlyMap<string, unknown>, document: JsonObject): JsonObject {
  const marked = [...properties].map(([name, schema]) => {
    if (!isObject(schema)) return [name, schema];
    const marks = MARKS.filter((mark) => isMarked(schema, mark, document, 0));
    return [name, { ...schema, ...Object.fromEntries(marks.map((mark) => [mark, true])) }];
  });
  return Object.fromEntries(marked);
}

function isMarked(value: unknown, mark: string, document: JsonObject, depth: number): boolean {
  if (!isObject(value) || depth > MAX_DEPTH) return false;
  if (typeof value[mark] === 'boolean') return value[mark];
  const parts = '$ref' in value ? [follow(document, value)] : toList(value.allOf);
  return parts.some((part) => isMarked(part, mark, document, depth + 1));
}

function propertiesOf({ properties }: JsonObject): Map<string, unknown> {
  return new Map(entriesOf(properties));
}

function follow(document: JsonObject, value: unknown): JsonObject {
  return locate(document, value, '#').value;
}
