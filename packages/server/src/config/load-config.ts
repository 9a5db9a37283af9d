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
  Scalar,
  visit,
} from 'yaml';
import { type Config, ConfigError, type ConfigFault } from './config.ts';
import { resolveConfig } from './resolve-config.ts';

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
    throw new ConfigError([{ path: [], place: file, problem: `cannot be read: ${error.message}` }]);
  });
  const lines = new LineCounter();
  // `replaceReferences` finds duplicate keys; the parser would compare every key with all others.
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const place = (offset = 0) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const replaced = replaceReferences(document, env);
  const faults = [
    ...document.errors.slice(0, 1).map(({ message, pos }) => ({ problem: message, at: pos[0] })),
    ...replaced.faults.map(({ node, problem }) => ({ problem, at: node.range?.[0] })),
  ].map(({ problem, at }) => ({ path: [], place: place(at), problem }));
  if (faults.length > 0) throw new ConfigError(faults);
  const read = () => resolveConfig(document.toJS() ?? {}, dirname(resolve(file)));
  try {
    return await read().catch((error) => {
      // Environment variables are strings: if a number is expected, a string that contains one is
      // accepted.
      if (!(error instanceof ConfigError) || !toNumbers(document, error, replaced.nodes))
        throw error;
      return read();
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(
      error.faults.map((fault) => ({
        ...fault,
        place: fault.place ?? place(offsetOf(document, fault.path)),
      })),
    );
  }
}

/** Replaces `${NAME}` in the strings of a YAML document with environment variables, and finds duplicate keys. */
function replaceReferences(document: Document, env: NodeJS.ProcessEnv) {
  const nodes = new Set<Node>();
  const faults: { node: Node; problem: string }[] = [];
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) faults.push({ node: key, problem: 'Map keys must be unique' });
        keys.add(key.value);
      }
    },
    Scalar(key, node) {
      if (key === 'key' || !isScalar(node) || typeof node.value !== 'string') return;
      node.value = node.value.replace(REFERENCE, (reference, name: string) => {
        const value = env[name];
        nodes.add(node);
        if (value === undefined) {
          faults.push({ node, problem: `The environment variable ${name} is not set` });
        }
        return value ?? reference;
      });
    },
  });
  return { nodes, faults };
}

/**
 * If a replaced string that failed validation contains a number, replaces it with that number. Returns
 * whether it did.
 */
function toNumbers(document: Document, { faults }: ConfigError, nodes: ReadonlySet<unknown>) {
  const refused = faults
    .map(({ path }) => document.getIn(path, true))
    .filter(
      (node) => node instanceof Scalar && nodes.has(node) && /^\d+$/.test(String(node.value)),
    );
  for (const node of refused as Scalar[]) node.value = Number(node.value);
  return refused.length > 0;
}

function offsetOf(document: Document, path: ConfigFault['path']): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(
        ({ key }) => (key instanceof Scalar ? key.value : key) === name,
      );
      if (isNode(pair?.key)) return pair.key.range?.[0];
    } else {
      const item = document.getIn(path.slice(0, length), true);
      if (isNode(item)) return item.range?.[0];
    }
  }
  return undefined;
}
