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
  follow,
  InvalidDocumentError,
  isObject,
  type JsonObject,
  join,
  type Problems,
  toList,
  toReference,
  valueAt,
} from './document.ts';
import { IGNORED_HEADERS } from './parameters.ts';

/**
 * Writes the types of a document with openapi-typescript. From its `operations`, `src/runtime/handlers.ts` derives
 * the types of handlers.
 *
 * @throws InvalidDocumentError
 */
export function writeTypes(
  document: JsonObject,
  { routes }: Pick<RouteTable, 'routes'>,
  problems: Problems,
): string {
  const operations = new Map<string, JsonObject>();
  const served = new Set(routes.map(({ operationId }) => operationId));
  const typed = new TypedDocument(document, served, operations).typed as never;
  try {
    // Its main function would check the document a second time, with an older Redocly.
    const nodes = transformSchema(typed, {
      // A request may omit what has a default.
      defaultNonNullable: false,
      // An object without properties may have any.
      emptyObjectsUnknown: true,
      readWriteMarkers: MARKS.some((mark) => JSON.stringify(typed).includes(`"${mark}":true`)),
      discriminators: scanDiscriminators(typed, { silent: true }),
      injectFooter: [],
      resolve: (reference: string) => resolveRef(typed, reference, { silent: true }),
    } as Partial<GlobalContext> as GlobalContext);
    const types = astToString(nodes.map((node) => describeOperations(node, operations)));
    return types.replace(/^type WithRequired<[^;]*;\s*\};/m, WITH_REQUIRED);
  } catch (error) {
    problems.error('#', `openapi-typescript cannot write its types: ${(error as Error).message}.`);
    throw new InvalidDocumentError(problems.errors);
  }
}

/** The helper of openapi-typescript does not compile for a schema that allows `null`. */
const WITH_REQUIRED = `type WithRequired<T, K extends PropertyKey> = T extends object
    ? T & { [P in K & keyof T]-?: T[P] }
    : T;`;

/** Names the operations as the document does, and describes them, for editors to show at handlers. */
function describeOperations(node: ts.Node, operations: ReadonlyMap<string, JsonObject>): ts.Node {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'operations') return node;
  const members = node.members.filter(ts.isPropertySignature).map((member) => {
    const operation = operations.get((member.name as ts.Identifier).text) ?? {};
    const name = tsPropertyIndex(String(operation.operationId));
    const named = ts.factory.createPropertySignature([], name, undefined, member.type);
    addJSDocComment(operation, named);
    return named;
  });
  return ts.factory.createInterfaceDeclaration(node.modifiers, node.name, [], [], members);
}

const MARKS = ['readOnly', 'writeOnly'];
const COMPONENT = /^#\/components\/[^/]+\/[^/]+$/;
const MAPS = /^(?:properties|\$defs|schemas|responses|parameters|headers|requestBodies)$/;
const VALUES = /^(?:examples?|default|enum|const)$/;
/** Request and response are streams. */
const PASS_THROUGH = {
  requestBody: { required: true, content: { '*/*': {} } },
  responses: { default: { description: 'Any response.', content: { '*/*': {} } } },
};

/** A copy of a document in which each part has the type that handlers know it by. */
class TypedDocument {
  readonly typed: JsonObject;
  readonly #document: JsonObject;
  /** Schemas that are not components, but are referred to. */
  readonly #others = new Map<string, JsonObject>();

  /** @param operations gets the operations, by their names in the copy */
  constructor(
    document: JsonObject,
    served: ReadonlySet<string>,
    operations: Map<string, JsonObject>,
  ) {
    this.#document = document;
    const paths = entriesOf(document.paths).map(([path, item]) => {
      const methods = entriesOf(item).flatMap(([method, value]) => {
        if (!isObject(value) || !served.has(String(value.operationId))) return [];
        // openapi-typescript decodes it.
        const name = String(value.operationId).replace(/[%#]/g, encodeURIComponent);
        operations.set(name, { ...value, title: `\`${method.toUpperCase()} ${path}\`` });
        return [[method, { ...this.#toOperation(value, Object(item)), operationId: name }]];
      });
      return [path, Object.fromEntries(methods)];
    });
    const components = Object(this.#toTyped(document.components));
    const typed = this.#toTyped(Object.fromEntries(paths));
    const schemas = { ...components.schemas };
    for (const [name, schema] of this.#others) schemas[name] = this.#toTyped(schema);
    this.typed = {
      ...document,
      webhooks: undefined,
      paths: typed,
      components: { ...components, schemas },
    };
  }

  #toOperation(operation: JsonObject, item: JsonObject): JsonObject {
    const parameters = new Map<string, JsonObject>();
    for (const value of [...toList(item.parameters), ...toList(operation.parameters)]) {
      const { content, ...parameter } = this.#follow(value);
      const [media] = Object.values(Object(content));
      const schema = parameter.schema ?? Object(media).schema ?? {};
      // Handlers always get a value where there is a default.
      const required = parameter.required === true || this.#follow(schema).default !== undefined;
      const name = String(parameter.name);
      if (parameter.in === 'header' && IGNORED_HEADERS.includes(name.toLowerCase())) continue;
      parameters.set(`${parameter.in} ${name}`, { ...parameter, schema, required });
    }
    const { requestBody, responses } = operation;
    return {
      ...operation,
      parameters: [...parameters.values()],
      requestBody: requestBody && this.#toComponent(requestBody),
      responses: Object.fromEntries(
        entriesOf(responses).map(([status, each]) => [status, this.#toComponent(each)]),
      ),
      ...(operation['x-berth-pass-through'] === true && PASS_THROUGH),
    };
  }

  /** Leaves a reference to a component, which has a type of its own. */
  #toComponent(value: unknown): unknown {
    return COMPONENT.test(String(Object(value).$ref)) ? value : this.#follow(value);
  }

  #follow(value: unknown): JsonObject {
    return follow(this.#document, value, '#').value;
  }

  #toTyped(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#toTyped(each));
    if (!isObject(value)) return value;
    const { 'x-berth-unwrap': wrapper, ...node } = value;
    if (typeof wrapper === 'string') {
      // The router unwraps the fields.
      const isFlat = (each: unknown) => !toList(this.#follow(each).required).includes(wrapper);
      return this.#toTyped(toList(node.oneOf).find(isFlat));
    }
    if (typeof node.$ref === 'string') return this.#toReference(node, node.$ref);
    if (isObject(node.headers))
      node.headers = mapValues(node.headers, (each) => this.#follow(each));
    if (isObject(Object(node.discriminator).mapping)) {
      node.discriminator = toReferring(node.discriminator as JsonObject);
    }
    // openapi-typescript applies what is required to each part of an `allOf`, but not one part to another.
    const required = toList(node.allOf).filter(
      (each) => Object.keys(Object(each)).join() === 'required',
    );
    if (required.length > 0) {
      node.required = [node, ...required].flatMap((each) => toList(Object(each).required));
    }
    if (isObject(node.properties) && Object.keys(node.properties).length > 0) {
      node.properties = mapValues(node.properties, (each) => this.#toMarked(each));
      // Without an index signature, a misspelled property is a compile error. A schema of other properties would
      // apply to the named ones as well.
      node.additionalProperties =
        isObject(node.additionalProperties) || node.patternProperties !== undefined;
      delete node.patternProperties;
    }
    const entries = Object.entries(node).map(([key, each]) => {
      if (VALUES.test(key)) return [key, each];
      // Its keys are names.
      const isMap = MAPS.test(key) && isObject(each);
      return [key, isMap ? mapValues(each, (one) => this.#toTyped(one)) : this.#toTyped(each)];
    });
    return Object.fromEntries(entries);
  }

  #toReference(node: JsonObject, reference: string): JsonObject {
    // Types know no `$anchor` and no `$id`.
    if (!reference.startsWith('#/')) return {};
    if (COMPONENT.test(reference)) return node;
    const name = reference.replaceAll(/\W+/g, '_');
    this.#others.set(name, Object(valueAt(this.#document, decodeReference(reference))));
    return { ...node, $ref: toReference(join('#/components/schemas', name)) };
  }

  /** Copies `readOnly` and `writeOnly` from the schema that a property refers to. */
  #toMarked(schema: unknown): unknown {
    if (!isObject(schema)) return schema;
    const marks = MARKS.filter((mark) => this.#isMarked(schema, mark, new Set()));
    return { ...schema, ...Object.fromEntries(marks.map((mark) => [mark, true])) };
  }

  #isMarked(value: unknown, mark: string, seen: Set<unknown>): boolean {
    if (!isObject(value) || seen.has(value)) return false;
    if (typeof value[mark] === 'boolean') return value[mark];
    const parts = '$ref' in value ? [this.#follow(value)] : toList(value.allOf);
    return parts.some((part) => this.#isMarked(part, mark, seen.add(value)));
  }
}

/** A mapping may name a schema instead of referring to it. */
function toReferring({ mapping, ...discriminator }: JsonObject): JsonObject {
  const toTarget = (target: unknown) =>
    /^[\w.-]+$/.test(String(target)) ? `#/components/schemas/${target}` : target;
  return { ...discriminator, mapping: mapValues(Object(mapping), toTarget) };
}

function mapValues(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, each]) => [name, change(each)]));
}
