import { type Names, toKey, toLiteral } from '../names.ts';
import type { Model, Operation } from '../operations/model.ts';
import { takeNames, writeInput, writeOutput, writeStatuses } from '../types/operation-types.ts';
import { indent, type SchemaTypes, toJsDoc } from '../types/schema-types.ts';

const RUNTIME_TYPES = ['HandlerResponse', 'RawBody'];

/** The names of an operation's types. */
interface OperationTypes {
  readonly input: string;
  readonly output: string;
}

export function writeTypes(model: Model, types: SchemaTypes, names: Names, runtime: string) {
  const operations: OperationTypes[] = [];
  const own: string[] = [];
  for (const operation of model.operations) {
    const taken = takeNames(operation, names);
    operations.push(taken);
    own.push(writeInput(operation, taken.input, types));
    own.push(writeOutput(operation, taken.output, types));
  }
  const texts = [...own, ...types.declarations.values()];
  const body = indent([...writeStatuses(texts.join('\n')), ...texts].join('\n\n'));
  // A comment, a literal or a property may have the name of a type.
  const code = own.join('\n').replace(/\/\*\*[\s\S]*?\*\/|(['`])(?:(?!\1)[^\\]|\\.)*\1/g, '');
  const uses = (name: string) => new RegExp(`\\b${name}\\b(?!\\??:)`).test(code);
  const used = RUNTIME_TYPES.filter(uses);
  const imports = [
    ...(uses('Readable') ? ["import type { Readable } from 'node:stream';"] : []),
    ...(used.length > 0 ? [`import type { ${used.join(', ')} } from '${runtime}';`] : []),
  ];
  return { text: [...imports, '', body].join('\n'), operations };
}

export function writeHandlers(
  model: Model,
  operations: readonly OperationTypes[],
  runtime: string,
): string {
  const schemes = usedSchemes(model);
  const handlers = model.operations.map((operation, index) =>
    writeHandler(operation, operations[index], schemes),
  );
  const parameter = schemes.length === 0 ? '' : '<P extends Principals = Principals>';
  const security = schemes.length === 0 ? '' : writeSecurity(schemes);
  const typeNames = operations.flatMap(({ input, output }) => [input, output]);
  const imported = schemes.length === 0 ? 'Call' : 'Call, SecurityHandler';
  const text = `
${security}/** Handlers by operationId. Operations without a handler respond with 501. */
export interface Handlers${parameter} {
${handlers.join('\n')}
}`;
  if (operations.length === 0) return indent(text);
  return [
    `import type { ${imported} } from '${runtime}';`,
    `import type {\n${typeNames
      .sort()
      .map((name) => `${name},`)
      .join('\n')}\n} from './types.gen.ts';`,
    text,
  ]
    .map(indent)
    .join('\n');
}

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

/** A scheme that all alternatives include is always present. */
function toSecurity({ security }: Operation, schemes: readonly string[]): string {
  const asked = schemes.filter((scheme) => security.some((each) => each.includes(scheme)));
  const members = asked.map((scheme) => {
    const isAlways = security.every((alternative) => alternative.includes(scheme));
    return `${toKey(scheme)}${isAlways ? '' : '?'}: P[${toLiteral(scheme)}]`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

function writeSecurity(schemes: readonly string[]): string {
  return `/** The type that the security handler of each scheme returns. */
export interface Principals {
${schemes.map((scheme) => `${toKey(scheme)}: unknown;`).join('\n')}
}

/** Authenticates callers, with one handler for each security scheme that the document uses. */
export type SecurityHandlers<P extends Principals = Principals> = {
readonly [Scheme in keyof P]: SecurityHandler<P[Scheme]>;
};

`;
}

export function writeIndex(model: Model, runtime: string): string {
  const isSecured = usedSchemes(model).length > 0;
  const exported = isSecured ? 'Handlers, Principals, SecurityHandlers' : 'Handlers';
  const options = isSecured
    ? `/** Router options. \`security\` has a handler for each scheme. */
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
} from '${runtime}';
import type { ${exported} } from './handlers.gen.ts';
import { routes } from './routes.gen.ts';

export type { ${exported} } from './handlers.gen.ts';
export { routes } from './routes.gen.ts';
export type * from './types.gen.ts';

${options}

/** Creates a router that works as Express middleware and as a \`node:http\` listener. */
export function createRouter${signature}: Router {
  return create(routes, handlers as unknown as AnyHandlers, options as RouterOptions);
}`;
}
