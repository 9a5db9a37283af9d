import { toKey, toLiteral } from '../names.ts';
import type { Model, Operation } from '../operations/model.ts';
import { indent } from '../types/indent.ts';
import { toJsDoc } from '../types/to-comment.ts';
import type { ModuleNames } from './module-names.ts';
import type { OperationTypes } from './write-types.ts';

/** `handlers.gen.ts`: what whoever implements the document writes, and who is let in. */
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
${security}/** A handler for each operation, by operationId; an operation without one is answered with 501. */
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

/** The schemes that operations ask for, in the order of the document. */
export function usedSchemes({ operations, securitySchemes }: Model): string[] {
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

/** Who may be let in: a scheme that all alternatives have in common is always there. */
function toSecurity({ security }: Operation, schemes: readonly string[]): string {
  const asked = schemes.filter((scheme) => security.some((each) => each.includes(scheme)));
  const members = asked.map((scheme) => {
    const isAlways = security.every((alternative) => alternative.includes(scheme));
    return `${toKey(scheme)}${isAlways ? '' : '?'}: P[${toLiteral(scheme)}]`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

function writeSecurity(schemes: readonly string[]): string {
  return `/** Who is let in, by security scheme: the type that its security handler returns. */
export interface Principals {
${schemes.map((scheme) => `${toKey(scheme)}: unknown;`).join('\n')}
}

/** Lets callers in or refuses them; one for each security scheme that the document asks for. */
export type SecurityHandlers<P extends Principals = Principals> = {
readonly [Scheme in keyof P]: SecurityHandler<P[Scheme]>;
};

`;
}
