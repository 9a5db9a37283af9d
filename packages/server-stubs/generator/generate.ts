import type { Route, RouteTable } from '../src/runtime/portable/route-table.ts';
import { writeValidators } from './ajv-adapter.ts';
import { FILES, toKey, toLiteral } from './names.ts';
import type { OpenApiDocument } from './openapi.ts';
import { describeOperations } from './operations.ts';
import { ValidatorName } from './schema-set.ts';
import { writeTypes } from './write-types.ts';

const RUNTIME = '@berth/server-stubs/runtime';

/**
 * Writes types, routes and validators: file contents by name, always in the same order. The warnings say what is not
 * checked or not served.
 *
 * @param runtime what generated code imports as the runtime
 * @param validators what its validators import
 * @throws InvalidDocumentError
 */
export function generate(document: OpenApiDocument, runtime = RUNTIME, validators = runtime) {
  const { table, requests, responses, warnings } = describeOperations(document);
  const used = new Set(table.routes.flatMap(({ security }) => security.flat()));
  const schemes = Object.keys(table.securitySchemes).filter((scheme) => used.has(scheme));
  const files = new Map<string, string>([
    [FILES.requests, writeValidators(requests, validators)],
    [FILES.responses, writeValidators(responses, validators)],
    [FILES.routes, writeRoutes(table, runtime)],
    [FILES.index, writeIndex(table, schemes, runtime)],
    [FILES.types, writeTypes(document, table.routes)],
  ]);
  return { files, routes: table.routes, schemes, warnings };
}

/** Writes the route table, with validators from the modules of the two sets. */
function writeRoutes(table: RouteTable<ValidatorName>, runtime: string): string {
  // TypeScript rejects keys that are members of every object, such as `constructor`.
  return `// @ts-nocheck
import type { RouteTable } from '${runtime}';
import * as requests from './${FILES.requests}';
import * as responses from './${FILES.responses}';

/** The route table of the document. */
export const routes: RouteTable = ${toSource(table)};`;
}

function toSource(value: unknown, indent = ''): string {
  if (value instanceof ValidatorName) return `${value.set}.${value.id}`;
  if (typeof value !== 'object' || value === null) return toLiteral(value);
  const isArray = Array.isArray(value);
  const [open, close] = isArray ? '[]' : '{}';
  const members = Object.entries(value).map(([name, member]) => {
    // `__proto__: …` would set the prototype.
    const key = name === '__proto__' ? "['__proto__']" : toKey(name);
    return `${indent}  ${isArray ? '' : `${key}: `}${toSource(member, `${indent}  `)},\n`;
  });
  const inner = members.length === 0 ? '' : `\n${members.join('')}${indent}`;
  return `${open}${inner}${close}`;
}

/** Writes the module that users import: `createRouter`, `routes`, and the types of the document. */
function writeIndex({ routes }: RouteTable<unknown>, schemes: readonly string[], runtime: string) {
  const isSecured = schemes.length > 0;
  return `import * as runtime from '${runtime}';
import { routes } from './${FILES.routes}';
import type { components, operations } from './${FILES.types}';

export { routes } from './${FILES.routes}';
export type { components, operations, paths } from './${FILES.types}';

/** The input of a handler. */
export type Input<Id extends keyof operations> = runtime.TypedInput<operations[Id]>;

/** What a handler may return. */
export type Output<Id extends keyof operations> = runtime.TypedOutput<operations[Id]>;

/** A value of a schema in a response. */
export type Schema<Name extends keyof components['schemas']> = runtime.InResponse<components['schemas'][Name]>;

/** A value of a schema in a request. */
export type RequestSchema<Name extends keyof components['schemas']> = runtime.InRequest<
  components['schemas'][Name]
>;

/** What the security handler of each scheme returns. */
export type Principals = {${schemes.map((scheme) => `\n  ${toKey(scheme)}: unknown;`).join('')}
};

/** The schemes of each operation, whose principals are in \`call.security\`. */
type Security = {${routes.flatMap((route) => writeSchemes(route, schemes)).join('')}
};

/** Authenticates callers, with one handler for each security scheme that the document uses. */
export type SecurityHandlers<P extends Principals = Principals> = {
  readonly [Scheme in keyof P]: runtime.SecurityHandler<P[Scheme]>;
};

/** Handlers by operationId. Operations without a handler respond with 501. */
export type Handlers<P extends Principals = Principals> = runtime.TypedHandlers<operations, Security, P>;

export type Options<P extends Principals = Principals> = runtime.RouterOptions & {
  readonly security${isSecured ? '' : '?'}: SecurityHandlers<P>;
};

/** Creates a router, which is middleware for Express and a listener for \`node:http\`. */
export function createRouter<P extends Principals = Principals>(
  handlers: Handlers<P>,
  options: Options<P>${isSecured ? '' : ' = {}'},
): runtime.Router {
  return runtime.createTableRouter(routes, handlers as runtime.Handlers, options as runtime.TableRouterOptions);
}`;
}

/** A scheme that not all alternatives include is optional. */
function writeSchemes({ operationId, security }: Route<unknown>, schemes: readonly string[]) {
  const members = schemes
    .filter((scheme) => security.some((alternative) => alternative.includes(scheme)))
    .map((scheme) => {
      const isAlways = security.every((alternative) => alternative.includes(scheme));
      return `${toKey(scheme)}${isAlways ? '' : '?'}: unknown`;
    });
  return members.length === 0 ? [] : [`\n  ${toKey(operationId)}: { ${members.join('; ')} };`];
}
