import type { Route } from '../src/runtime/portable/route-table.ts';
import { FILES, toKey, toLiteral, toVariableName } from './names.ts';
import {
  InvalidDocumentError,
  type OpenApiDocument,
  operationsOf,
  type Problem,
} from './openapi.ts';

/** Names that JavaScript, TypeScript or a file system has reserved, and those of the index. */
const RESERVED_NAMES =
  /^(?:con|prn|aux|nul|com\d|lpt\d|generated|handlers|security|undefined|globalThis|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|public|return|static|super|switch|this|throw|true|try|typeof|var|void|while|with|yield|arguments)$/i;

/**
 * Writes a handler for each operation, in a file of its own, the security handlers in another, and an index of them.
 *
 * @param schemes the security schemes that the operations use
 * @param generated specifier of the generated index
 * @throws InvalidDocumentError if two operations have the same name
 */
export function writeHandlers(
  routes: readonly Route<unknown>[],
  schemes: readonly string[],
  generated: string,
  document: OpenApiDocument,
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const owners = new Map<string, string>();
  const clashes: Problem[] = [];
  const entries = operationsOf(document.root);
  const imports: string[] = [];
  const members: string[] = [];
  for (const { operationId, method, path } of routes) {
    const variable = toVariableName(operationId);
    const name = RESERVED_NAMES.test(variable) ? `${variable}Handler` : variable;
    const [key, id] = [toKey(operationId), toLiteral(operationId)];
    // Some file systems do not distinguish letter case.
    const owner = owners.get(name.toLowerCase());
    if (owner !== undefined) {
      const entry = entries.find(({ operation }) => operation.operationId === operationId);
      const at = document.pointerTo(entry?.operation, 'operationId');
      const message = `The handlers of ${owner} and ${id} would both be ${name}. Change one operationId.`;
      clashes.push(document.toProblem(at, message));
    }
    owners.set(name.toLowerCase(), id);
    imports.push(`import { ${name} } from './${name}.ts';\n`);
    members.push(key === name ? `  ${name},\n` : `  ${key}: ${name},\n`);
    files.set(
      `${name}.ts`,
      `import { HttpError } from '@berth/server-stubs';
import type { Handlers } from './${FILES.index}';

/** \`${`${method} ${path}`.replaceAll('*/', '*\\/')}\` */
export const ${name}: NonNullable<Handlers[${id}]> = async () => {
  throw new HttpError('not-implemented', ${toLiteral(`${operationId} is not implemented yet.`)});
};
`,
    );
  }
  if (clashes.length > 0) throw new InvalidDocumentError(clashes);
  const isSecured = schemes.length > 0;
  if (isSecured) files.set(FILES.security, writeSecurity(schemes, generated));
  const handlersType = isSecured
    ? `import type { PrincipalsOf } from '@berth/server-stubs/runtime';
import type * as generated from ${toLiteral(generated)};
import { security } from './${FILES.security}';

export { security };

/** The types of the handlers, with what \`security\` returns in \`call.security\`. */
export type Handlers = generated.Handlers<PrincipalsOf<typeof security>>;
`
    : `import type { Handlers } from ${toLiteral(generated)};

export type { Handlers };
`;
  return files.set(
    FILES.index,
    `${imports.join('')}${handlersType}
/** Handlers by operationId, for \`createRouter\`. */
export const handlers: Handlers = {
${members.join('')}};
`,
  );
}

function writeSecurity(schemes: readonly string[], generated: string): string {
  const members = schemes.map((scheme) => {
    const message = toLiteral(`The security scheme ${scheme} is not implemented yet.`);
    return `  ${toKey(scheme)}: async () => {
    throw new HttpError('not-implemented', ${message});
  },
`;
  });
  return `import { HttpError } from '@berth/server-stubs';
import type { SecurityHandlers } from ${toLiteral(generated)};

/** Each returns the caller, for \`call.security\`, or \`undefined\` to reject the credential. */
export const security = {
${members.join('')}} satisfies SecurityHandlers;
`;
}
