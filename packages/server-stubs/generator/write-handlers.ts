import type { Route } from '../src/runtime/route-table.ts';
import { InvalidDocumentError, type OpenApiDocument } from './document.ts';
import { toKey, toLiteral, toVariableName } from './names.ts';
import { operationsOf } from './operations.ts';

/** Names that JavaScript or a file system has reserved, and the one that the index exports. */
const RESERVED =
  /^(?:con|prn|aux|nul|com\d|lpt\d|handlers|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|arguments)$/i;

/**
 * Writes a handler for each operation, in a file of its own, and an index of them.
 *
 * @param generated specifier of the generated index
 * @throws InvalidDocumentError if two operations have the same name
 */
export function writeHandlers(
  operations: readonly Route[],
  generated: string,
  document: OpenApiDocument,
): { readonly index: string; readonly handlerFiles: ReadonlyMap<string, string> } {
  const named = nameHandlers(operations, document);
  const imports = named.map(([name]) => `import { ${name} } from './${name}.ts';`);
  const members = named.map(([name, { operationId }]) => {
    const key = toKey(operationId);
    return key === name ? `  ${name},` : `  ${key}: ${name},`;
  });
  const index = `import type { Handlers } from ${toLiteral(generated)};
${imports.join('\n')}

/** Handlers by operationId, for \`createRouter\`. */
export const handlers: Handlers = {
${members.join('\n')}
};
`;
  const handlerFiles = named.map(
    ([name, operation]) => [`${name}.ts`, writeHandler(name, operation, generated)] as const,
  );
  return { index, handlerFiles: new Map(handlerFiles) };
}

function writeHandler(
  name: string,
  { operationId, method, path }: Route,
  generated: string,
): string {
  return `import { HttpError } from '@berth/server-stubs/runtime';
import type { Handlers } from ${toLiteral(generated)};

/** \`${`${method} ${path}`.replaceAll('*/', '*\\/')}\` */
export const ${name}: NonNullable<Handlers[${toLiteral(operationId)}]> = async () => {
  throw new HttpError('not-implemented', ${toLiteral(`${operationId} is not implemented yet.`)});
};
`;
}

/** The name of each handler and its file. */
function nameHandlers(operations: readonly Route[], document: OpenApiDocument): [string, Route][] {
  const owners = new Map<string, string>();
  const named = operations.map((operation): [string, Route] => {
    const { operationId } = operation;
    const variable = toVariableName(operationId);
    const name = RESERVED.test(variable) ? `${variable}Handler` : variable;
    // Some file systems do not distinguish letter case.
    const owner = owners.get(name.toLowerCase());
    if (owner !== undefined) {
      const found = operationsOf(document).find(
        (each) => each.operation.operationId === operationId,
      );
      document.error(
        document.pointerTo(found?.operation, 'operationId'),
        `The handlers of ${toLiteral(owner)} and ${toLiteral(operationId)} would both be ${name}. Change one operationId.`,
      );
    }
    owners.set(name.toLowerCase(), operationId);
    return [name, operation];
  });
  if (document.errors.length > 0) throw new InvalidDocumentError(document.errors);
  return named;
}
