import { type Names, toKey, toLiteral } from '../names.ts';
import type { Model, Operation } from '../operations/model.ts';
import {
  type OperationNames,
  takeNames,
  writeInput,
  writeOutput,
  writeStatuses,
} from '../types/operation-types.ts';
import type { SchemaTypes } from '../types/schema-types.ts';
import { indent, toJsDoc } from '../types/type-writer.ts';

const RUNTIME_TYPES = ['HandlerResponse', 'MultipartStream', 'RawBody'];

/** Where generated modules import from. */
export interface ModuleNames {
  /** Specifier of the runtime. */
  readonly runtime: string;
  /** Specifier of another generated module of the same folder. */
  sibling(name: string): string;
}

/** The written types of one operation. */
export interface OperationTypes extends OperationNames {
  readonly operationId: string;
  readonly inputText: string;
  readonly outputText: string;
}

interface TypesModule {
  readonly text: string;
  readonly operations: readonly OperationTypes[];
}

/** `types.gen.ts`: the schemas by name, and input and output of each operation. */
export function writeTypes(
  model: Model,
  types: SchemaTypes,
  names: Names,
  modules: ModuleNames,
): TypesModule {
  const operations = model.operations.map((operation): OperationTypes => {
    const taken = takeNames(operation, names);
    return {
      ...taken,
      operationId: operation.operationId,
      inputText: writeInput(operation, taken.input, types),
      outputText: writeOutput(operation, taken.output, types),
    };
  });
  const texts = [
    ...operations.flatMap(({ inputText, outputText }) => [inputText, outputText]),
    ...types.declarations.values(),
  ];
  const body = indent([...writeStatuses(texts.join('\n')), ...texts].join('\n\n'));
  const used = RUNTIME_TYPES.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  const imports = [
    ...(/\bReadable\b/.test(body) ? ["import type { Readable } from 'node:stream';"] : []),
    ...(used.length > 0 ? [`import type { ${used.join(', ')} } from '${modules.runtime}';`] : []),
  ];
  return { text: [...imports, '', body].join('\n'), operations };
}

/** `handlers.gen.ts`: the types of the handlers and security handlers to implement. */
export function writeHandlers(
  model: Model,
  operations: readonly OperationTypes[],
  names: ModuleNames,
): string {
  const schemes = usedSchemes(model);
  const handlers = model.operations.map((operation, index) =>
    writeHandler(operation, operations[index], schemes),
  );
  const parameter = schemes.length === 0 ? '' : '<P extends Principals = Principals>';
  const security = schemes.length === 0 ? '' : writeSecurity(schemes);
  const typeNames = operations.flatMap(({ input, output }) => [input, output]);
  const runtime = schemes.length === 0 ? 'Call' : 'Call, SecurityHandler';
  const text = `
${security}/** A handler for each operation, by operationId; an operation without one responds with 501. */
export interface Handlers${parameter} {
${handlers.join('\n')}
}`;
  if (operations.length === 0) return indent(text);
  return [
    `import type { ${runtime} } from '${names.runtime}';`,
    `import type {\n${typeNames
      .sort()
      .map((name) => `${name},`)
      .join('\n')}\n} from '${names.sibling('types')}';`,
    text,
  ]
    .map(indent)
    .join('\n');
}

/** The schemes that operations use, in the order of the document. */
function usedSchemes({ operations, securitySchemes }: Model): string[] {
  const used = new Set(operations.flatMap(({ security }) => security.flat()));
  return Object.keys(securitySchemes).filter((scheme) => used.has(scheme));
}

function writeHandler(
  operation: Operation,
  types: OperationTypes | undefined,
  schemes: readonly string[],
): string {
  const { method, path, description, deprecated, operationId } = operation;
  const doc = toJsDoc([`\`${method} ${path}\``, description, deprecated ? '@deprecated' : '']);
  const security = toSecurity(operation, schemes);
  const output = `${types?.output} | Promise<${types?.output}>`;
  return `${doc}${toKey(operationId)}?: (
input: ${types?.input},
call: Call<${security}>,
) => ${output};`;
}

/** Type of `call.security`: a scheme that is part of all alternatives is always present. */
function toSecurity({ security }: Operation, schemes: readonly string[]): string {
  const asked = schemes.filter((scheme) => security.some((each) => each.includes(scheme)));
  const members = asked.map((scheme) => {
    const isAlways = security.every((alternative) => alternative.includes(scheme));
    return `${toKey(scheme)}${isAlways ? '' : '?'}: P[${toLiteral(scheme)}]`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

function writeSecurity(schemes: readonly string[]): string {
  return `/** The principal of each security scheme: the type that its security handler returns. */
export interface Principals {
${schemes.map((scheme) => `${toKey(scheme)}: unknown;`).join('\n')}
}

/** Authenticates callers: one handler for each security scheme that the document uses. */
export type SecurityHandlers<P extends Principals = Principals> = {
readonly [Scheme in keyof P]: SecurityHandler<P[Scheme]>;
};

`;
}

/** `index.gen.ts`: the entry point of the generated folder. */
export function writeIndex(model: Model, names: ModuleNames): string {
  const isSecured = usedSchemes(model).length > 0;
  const exported = isSecured ? 'Handlers, Principals, SecurityHandlers' : 'Handlers';
  const options = isSecured
    ? `/** Options of the router; \`security\` has a handler for each scheme. */
export type Options<P extends Principals = Principals> = Omit<RouterOptions, 'security'> & {
  readonly security: SecurityHandlers<P>;
};`
    : `export type Options = Omit<RouterOptions, 'security'>;`;
  const signature = isSecured
    ? `<P extends Principals = Principals>(\n  handlers: Handlers<P>,\n  options: Options<P>,\n)`
    : `(handlers: Handlers, options: Options = {})`;
  return `import {
  createRouter as create,
  type Handlers as AnyHandlers,
  type Router,
  type RouterOptions,
} from '${names.runtime}';
import type { ${exported} } from '${names.sibling('handlers')}';
import { routes } from '${names.sibling('routes')}';

export type { ${exported} } from '${names.sibling('handlers')}';
export { routes } from '${names.sibling('routes')}';
export type * from '${names.sibling('types')}';

${options}

/** Express middleware and \`node:http\` listener for the operations of the document. */
export function createRouter${signature}: Router {
  return create(routes, handlers as unknown as AnyHandlers, options as RouterOptions);
}`;
}
