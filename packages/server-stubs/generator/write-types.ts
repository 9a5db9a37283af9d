import {
  astToString,
  type GlobalContext,
  resolveRef,
  scanDiscriminators,
  transformSchema,
} from 'openapi-typescript';
import type { RouteTable } from '../src/runtime/route-table.ts';
import { toFlat } from './bodies.ts';
import {
  decodeReference,
  follow,
  InvalidDocumentError,
  isObject,
  type JsonObject,
  join,
  METHODS,
  mapValues,
  type Problems,
  toList,
  toReference,
  valueAt,
} from './document.ts';
import { IGNORED_HEADERS } from './parameters.ts';
import { propertiesOf, type Schema, SchemaReader } from './schemas.ts';

/** From the types of `operations`, `src/runtime/handlers.ts` derives those of handlers. @throws InvalidDocumentError */
export function writeTypes(
  document: JsonObject,
  { routes }: RouteTable,
  problems: Problems,
): string {
  const { typed } = new TypedDocument(document, routes);
  try {
    // Its main function would check the document a second time, with an older Redocly.
    const nodes = transformSchema(
      typed as never,
      {
        // A request may omit what has a default.
        defaultNonNullable: false,
        // An object without properties may have any.
        emptyObjectsUnknown: true,
        readWriteMarkers: /"(?:read|write)Only":true/.test(JSON.stringify(typed)),
        discriminators: scanDiscriminators(typed as never, { silent: true }),
        injectFooter: [],
        resolve: (reference: string) => withAllProperties(typed, reference),
      } as Partial<GlobalContext> as GlobalContext,
    );
    return astToString(nodes).replace(/^type WithRequired<[^;]*;\s*\};/m, WITH_REQUIRED);
  } catch (error) {
    problems.error('#', `openapi-typescript cannot write its types: ${(error as Error).message}.`);
    // The cause is usually a field of a wrong type, which loading has warned about.
    throw new InvalidDocumentError([...problems.errors, ...problems.warnings]);
  }
}

/** The helper of openapi-typescript does not compile for a schema that allows `null`. */
const WITH_REQUIRED = `type WithRequired<T, K extends PropertyKey> = T extends object
    ? T & { [P in K & keyof T]-?: T[P] }
    : T;`;

/** What `allOf` requires is only applied to the direct properties of the target of a `$ref`. */
function withAllProperties(document: JsonObject, reference: string): unknown {
  const target = resolveRef(document as never, reference, { silent: true }) as unknown;
  if (!isObject(target) || !('allOf' in target)) return target;
  const parts = new SchemaReader(document).partsOf(target, ['allOf']);
  return { ...target, properties: Object.fromEntries(parts.flatMap(propertiesOf)) };
}

const COMPONENT = /^#\/components\/[^/]+\/[^/]+$/;
/** Objects whose keys are names. */
const MAPS = /^(?:properties|\$defs|schemas|responses|parameters|headers|requestBodies)$/;
const VALUES = /^(?:examples?|default|enum|const)$/;

/** A copy of a document in which each part has the type that handlers know it by. */
class TypedDocument {
  readonly typed: JsonObject;
  readonly #document: JsonObject;
  readonly #reader: SchemaReader;
  /** Schemas that are not components, but are referred to. */
  readonly #others = new Map<string, unknown>();

  constructor(document: JsonObject, routes: RouteTable['routes']) {
    this.#document = document;
    this.#reader = new SchemaReader(document);
    const served = new Set<unknown>(routes.map(({ operationId }) => operationId));
    const isServed = (method: string, operation: unknown) =>
      METHODS.includes(method) && served.has(Object(operation).operationId);
    const paths = mapValues(document.paths, (item) =>
      mapValues(item, (each, key) =>
        isServed(key, each) ? this.#toOperation(each, item) : undefined,
      ),
    );
    const components = Object(this.#toTyped(document.components));
    const schemas = { ...components.schemas };
    for (const [name, schema] of this.#others) schemas[name] = this.#toTyped(schema);
    this.typed = { openapi: document.openapi, paths, components: { ...components, schemas } };
  }

  #toOperation(value: unknown, item: unknown): JsonObject {
    const operation = Object(value);
    const parameters = [...toList(Object(item).parameters), ...toList(operation.parameters)]
      .map((each) => this.#toParameter(this.#follow(each)))
      .filter(({ in: place, name }) => place !== 'header' || !IGNORED_HEADERS.test(String(name)));
    // Those of the operation replace those of its path.
    const unique = new Map(parameters.map((each) => [`${each.in} ${each.name}`, each]));
    return {
      ...operation,
      parameters: [...unique.values()],
      requestBody: operation.requestBody && this.#toTyped(operation.requestBody),
      responses: this.#toTyped(operation.responses),
    };
  }

  /** Handlers always get a value where there is a default. */
  #toParameter({ content, ...parameter }: JsonObject): JsonObject {
    const [media] = Object.values(Object(content));
    const schema = parameter.schema ?? Object(media).schema ?? {};
    const required = parameter.required === true || this.#follow(schema).default !== undefined;
    return { ...parameter, schema: this.#toTyped(schema), required };
  }

  #follow(value: unknown): JsonObject {
    return follow(this.#document, value, '#').value;
  }

  #toTyped(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#toTyped(each));
    if (!isObject(value)) return value;
    if (typeof value.$ref === 'string') return this.#toReference(value, value.$ref);
    // The router unwraps the fields.
    const flat = toFlat(value, this.#reader);
    if (flat !== value) return this.#toTyped(flat);
    const node = { ...value };
    if (Array.isArray(node.allOf)) node.required = this.#requiredOf(node);
    // Without an index signature, a misspelled property is a compile error.
    if (isObject(node.properties) && !isObject(node.additionalProperties)) {
      node.additionalProperties = false;
    }
    if (isObject(node.discriminator)) {
      const mapping = mapValues(node.discriminator.mapping, toComponentReference);
      node.discriminator = { ...node.discriminator, mapping };
    }
    return mapValues(node, (each, key) => {
      if (VALUES.test(key)) return each;
      if (key === 'properties') {
        return mapValues(each, (one) => this.#toTyped(this.#toMarked(one as Schema)));
      }
      const isMap = MAPS.test(key) && isObject(each);
      return isMap ? mapValues(each, (one) => this.#toTyped(one)) : this.#toTyped(each);
    });
  }

  /** One part of `allOf` may require a property of another part. */
  #requiredOf(schema: JsonObject): unknown[] {
    const parts = this.#reader.partsOf(schema, ['allOf']);
    const required = parts.flatMap((part) => toList(part.required));
    const isOptional = (name: unknown) =>
      parts.some((part) => {
        const isProperty = propertiesOf(part).some(([property]) => property === name);
        return isProperty && !toList(part.required).includes(name);
      });
    return [...new Set([...toList(schema.required), ...required.filter(isOptional)])];
  }

  #toMarked(property: Schema): Schema {
    if (!isObject(property)) return property;
    const marked = { ...property };
    for (const mark of ['readOnly', 'writeOnly'] as const) {
      if (this.#reader.isMarked(property, mark)) marked[mark] = true;
    }
    return marked;
  }

  #toReference(node: JsonObject, reference: string): JsonObject {
    // Types know no `$anchor` and no `$id`.
    if (!reference.startsWith('#/')) return {};
    if (COMPONENT.test(reference)) return node;
    const name = reference.replaceAll(/\W+/g, '_');
    this.#others.set(name, valueAt(this.#document, decodeReference(reference)));
    return { ...node, $ref: toReference(join('#/components/schemas', name)) };
  }
}

/** The mapping of a discriminator may name a schema instead of referring to it. */
function toComponentReference(target: unknown): unknown {
  return /^[\w.-]+$/.test(String(target)) ? `#/components/schemas/${target}` : target;
}
