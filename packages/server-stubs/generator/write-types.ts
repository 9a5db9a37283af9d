import {
  astToString,
  type GlobalContext,
  type OpenAPI3,
  resolveRef,
  scanDiscriminators,
  stringToAST,
  transformSchema,
} from 'openapi-typescript';
import type { Parameter, Route } from '../src/runtime/portable/route-table.ts';
import {
  asObject,
  entriesOf,
  follow,
  type JsonObject,
  join,
  targetOf,
  toList,
  toReference,
} from './json.ts';
import { InvalidDocumentError, type OpenApiDocument, operationsOf } from './openapi.ts';
import { visitSchema, visitSchemas } from './subschemas.ts';

/**
 * The helper of openapi-typescript does not compile for a schema that allows `null`, so it gets this one, which it
 * recognizes by its name.
 */
const WITH_REQUIRED =
  stringToAST(`export type WithRequired<T, K extends PropertyKey> = T extends object
    ? T & { [P in K & keyof T]-?: T[P] }
    : T;`) as GlobalContext['injectFooter'];

const SCHEMAS = '#/components/schemas';
const COMPONENT = /^#\/components\/[^/]+\/[^/]+$/;

/** Writes the types from which `src/runtime/handlers.ts` derives those of handlers. @throws InvalidDocumentError */
export function writeTypes(document: OpenApiDocument, routes: readonly Route<unknown>[]): string {
  const typed = toTypedDocument(document, routes) as unknown as OpenAPI3;
  const context: Partial<GlobalContext> = {
    // A request may omit what has a default.
    defaultNonNullable: false,
    // An object without properties may have any.
    emptyObjectsUnknown: true,
    readWriteMarkers: /"(?:read|write)Only":true/.test(JSON.stringify(typed)),
    injectFooter: [...WITH_REQUIRED],
    resolve: (reference: string) => resolveRef(typed, reference, { silent: true }),
  };
  try {
    context.discriminators = scanDiscriminators(typed, { silent: true });
    // Its main function would check the document a second time, with an older Redocly.
    return astToString(transformSchema(typed, context as GlobalContext));
  } catch (error) {
    const message = `openapi-typescript cannot write its types: ${(error as Error).message}.`;
    // The cause is usually a field of a wrong type, which loading has warned about.
    throw new InvalidDocumentError([document.toProblem('#', message), ...document.warnings]);
  }
}

/** Returns a copy of a document whose schemas describe values as handlers get and return them. */
function toTypedDocument(document: OpenApiDocument, routes: readonly Route<unknown>[]): JsonObject {
  const { root, reader } = document;
  const routesById = new Map<unknown, Route<unknown>>();
  for (const route of routes) routesById.set(route.operationId, route);
  const paths: Record<string, JsonObject> = {};
  for (const { path, method, operation } of operationsOf(root)) {
    const route = routesById.get(operation.operationId);
    if (route === undefined) continue;
    paths[path] = { ...paths[path], [method]: toTypedOperation(root, operation, route) };
  }
  const components = asObject(root.components);
  const typed = structuredClone({
    openapi: root.openapi,
    paths,
    // Their operations are in the paths.
    components: { ...components, schemas: asObject(components.schemas), pathItems: {} },
  });
  const { schemas } = typed.components;
  visitSchemas(typed, toTyped);
  return typed;

  function toTyped(schema: JsonObject): void {
    // References to `$defs` become components; openapi-typescript would write `$defs` as a property.
    delete schema.$defs;
    if (typeof schema.$ref === 'string') toComponent(schema, schema.$ref);
    for (const property of Object.values(asObject(schema.properties)).map(asObject)) {
      for (const annotation of reader.annotationsOf(property)) property[annotation] = true;
    }
    // A mapping may name a schema instead of referring to it.
    const mapping = asObject(asObject(schema.discriminator).mapping);
    for (const [tag, target] of Object.entries(mapping)) {
      const isName = Object.hasOwn(schemas, String(target));
      if (isName) mapping[tag] = toReference(join(SCHEMAS, String(target)));
    }
  }

  /** openapi-typescript resolves only references to components, so other references become names of components. */
  function toComponent(schema: JsonObject, reference: string): void {
    if (COMPONENT.test(reference)) return;
    const target = targetOf(root, schema);
    delete schema.$ref;
    if (target === undefined) return;
    schema.$ref = toReference(join(SCHEMAS, reference));
    if (Object.hasOwn(schemas, reference)) return;
    schemas[reference] = structuredClone(target);
    visitSchema(schemas[reference], toTyped);
  }
}

/** Handlers of a pass-through operation get and return bytes, whatever is documented. */
const RAW = { content: { '*/*': {} } };

function toTypedOperation(root: JsonObject, operation: JsonObject, route: Route<unknown>) {
  const parameters = toList(operation.parameters).flatMap((value) => {
    const { content, ...parameter } = follow(root, value);
    const isSame = (other: Parameter) => other.in === parameter.in && other.name === parameter.name;
    const described = route.parameters.find(isSame);
    if (described === undefined) return [];
    const [media] = Object.values(asObject(content));
    const schema = parameter.schema ?? asObject(media).schema ?? {};
    // With a default, handlers always get a value.
    const required = described.required || described.default !== undefined;
    return [{ ...parameter, schema, required }];
  });
  if (!route.passThrough) return { ...operation, parameters };
  const responses = entriesOf(operation.responses).map(([status, value]) => {
    const { content, ...response } = follow(root, value);
    return [status, content === undefined ? response : { ...response, ...RAW }];
  });
  const requestBody = operation.requestBody && { ...RAW, required: true };
  return { ...operation, parameters, responses: Object.fromEntries(responses), requestBody };
}
