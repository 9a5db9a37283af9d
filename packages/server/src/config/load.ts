import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { type Config, resolveConfig } from './config.ts';
import { ConfigError, type ConfigProblem, findProblems } from './problems.ts';

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

/**
 * Reads a configuration file (YAML or JSON). Relative paths are relative to its folder, and `${NAME}` in a
 * string refers to an environment variable.
 *
 * @throws ConfigError that names file, line and column of each error
 *
 * @example
 * const config = await loadConfig('berth.yaml');
 * const server = await createServer(config);
 */
export async function loadConfig(
  file: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Config> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([{ path: [], place: file, message: `cannot be read: ${error.message}` }]);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset = 0) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const [syntaxError] = document.errors;
  if (syntaxError !== undefined) {
    const { message, pos } = syntaxError;
    throw new ConfigError([{ path: [], message, place: placeOf(pos[0]) }]);
  }
  const { references, problems } = replaceReferences(document, env);
  if (problems.length > 0) {
    throw new ConfigError(
      problems.map(({ node, message }) => ({ path: [], message, place: placeOf(node.range?.[0]) })),
    );
  }
  setTypes(document, references);
  try {
    return await resolveConfig(toValue(document), dirname(resolve(file)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const toPlace = ({ path }: ConfigProblem) => placeOf(offsetOf(document, path));
    throw new ConfigError(
      error.problems.map((problem) => ({ ...problem, place: problem.place ?? toPlace(problem) })),
    );
  }
}

/** The values of a document; an empty one has no settings. Aliases are not limited, for operators write the file. */
function toValue(document: Document): unknown {
  return document.toJS({ maxAliasCount: -1 }) ?? {};
}

function replaceReferences(document: Document, env: NodeJS.ProcessEnv) {
  const references = new Set<Node>();
  const problems: { readonly node: Node; readonly message: string }[] = [];
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return;
      problems.push({ node, message: `There is no anchor &${node.source}` });
    },
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string') return;
      node.value = node.value.replace(REFERENCE, (reference, name: string) => {
        const value = env[name];
        references.add(node);
        if (value === undefined) {
          problems.push({ node, message: `The environment variable ${name} is not set` });
        }
        return value ?? reference;
      });
    },
  });
  return { references, problems };
}

/** Environment variables are strings. For a setting of another type, reads them as YAML does. */
function setTypes(document: Document, references: ReadonlySet<unknown>): void {
  for (const { path, expected } of findProblems(toValue(document))) {
    const node = document.getIn(path, true);
    if (!isScalar(node) || !references.has(node)) continue;
    const { contents } = parseDocument(String(node.value));
    const value = isScalar(contents) ? contents.value : undefined;
    if (typeof value !== 'number' && typeof value !== 'boolean') continue;
    if (expected?.includes(typeof value)) node.value = value;
  }
}

/** Finds the setting, or the innermost group around it that is in the file. */
function offsetOf(document: Document, path: ConfigProblem['path']): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === name)
      : undefined;
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node.range?.[0];
  }
  return undefined;
}
