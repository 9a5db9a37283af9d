import type { Route } from '../src/runtime/route-table.ts';
import {
  entriesOf,
  InvalidDocumentError,
  type JsonObject,
  join,
  type Pointer,
} from './document.ts';
import type { LoadedDocument } from './load.ts';
import { toKey, toLiteral, toVariableName } from './names.ts';

/** Names that JavaScript or a file system has reserved, and the name of the index. */
const RESERVED =
  /^(?:index|con|prn|aux|nul|com\d|lpt\d|handlers|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|arguments)$/i;

export interface HandlerFiles {
  /** Text by file name. */
  readonly files: ReadonlyMap<string, string>;
  /** What to add to the index that exists. */
  readonly additions: readonly string[];
}

type Operation = Pick<Route, 'operationId' | 'method' | 'path'>;

/**
 * Writes a handler for each operation that has none, and an index if there is none. Each operation has a file of
 * its own, because a file that exists is never changed.
 *
 * @param existing names of the files that exist
 * @param generated specifier of the generated index
 * @throws InvalidDocumentError if two operations have the same name
 */
export function writeHandlers(
  operations: readonly Operation[],
  existing: readonly string[],
  generated: string,
  loaded: LoadedDocument,
): HandlerFiles {
  const names = nameHandlers(operations, loaded);
  const known = new Set(existing.map((file) => file.replace(/\.[cm]?[jt]sx?$/, '').toLowerCase()));
  const missing = operations.filter((each) => !known.has(nameOf(each).toLowerCase()));
  const files = missing.map((each) => [`${nameOf(each)}.ts`, writeHandler(each)] as const);
  const listed = known.has('index') ? missing : operations;
  const imports = listed.map((each) => `import { ${nameOf(each)} } from './${nameOf(each)}.ts';`);
  const members = listed.map((each) => {
    const [key, name] = [toKey(each.operationId), nameOf(each)];
    return key === name ? `  ${name},` : `  ${key}: ${name},`;
  });
  if (known.has('index')) {
    return {
      files: new Map(files),
      additions: [...imports.map((line) => `  ${line}`), ...members],
    };
  }
  const index = `import type { Handlers } from ${toLiteral(generated)};
${imports.join('\n')}

/** Handlers by operationId, for \`createRouter\`. */
export const handlers: Handlers = {
${members.join('\n')}
};
`;
  return { files: new Map([...files, ['index.ts', index]]), additions: [] };

  function nameOf({ operationId }: Operation): string {
    return names.get(operationId) as string;
  }

  function writeHandler(operation: Operation): string {
    const { operationId, method, path } = operation;
    return `import { HttpError } from '@berth/server-stubs/runtime';
import type { Handlers } from ${toLiteral(generated)};

/** \`${`${method} ${path}`.replaceAll('*/', '*\\/')}\` */
export const ${nameOf(operation)}: NonNullable<Handlers[${toLiteral(operationId)}]> = async () => {
  throw new HttpError('not-implemented', ${toLiteral(`${operationId} is not implemented yet.`)});
};
`;
  }
}

/** The name of each handler and its file. Some file systems do not distinguish letter case. */
function nameHandlers(
  operations: readonly Operation[],
  { document, problems }: LoadedDocument,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const { operationId } of operations) {
    const variable = toVariableName(operationId);
    const name = RESERVED.test(variable) ? `${variable}Handler` : variable;
    const owner = owners.get(name.toLowerCase());
    if (owner !== undefined) {
      problems.error(
        findOperation(document, operationId),
        `The handlers of ${toLiteral(owner)} and ${toLiteral(operationId)} would both be ${name}. Change one operationId.`,
      );
    }
    owners.set(name.toLowerCase(), operationId);
    names.set(operationId, name);
  }
  if (problems.errors.length > 0) throw new InvalidDocumentError(problems.errors);
  return names;
}

function findOperation({ paths }: JsonObject, operationId: string): Pointer {
  for (const [path, item] of entriesOf(paths)) {
    const found = entriesOf(item).find(([, each]) => Object(each).operationId === operationId);
    if (found !== undefined) return join('#/paths', path, found[0], 'operationId');
  }
  return '#/paths';
}
