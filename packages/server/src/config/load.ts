import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import {
  toWireProfile,
  type WireProfile,
  type WireProfileError,
  type WireProfileInput,
} from '@berth/spec/wire-profile';
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
import type { EnvironmentConfig, KeySet } from './config.ts';
import { type Config, ConfigError, type ConfigFault } from './config.ts';
import { MIN_SECRET_LENGTH } from './environment-schema.ts';
import { toFaults } from './problems.ts';
import { configSchema, type ParsedConfig } from './schema.ts';

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

/**
 * Validates a configuration, fills in the defaults and reads the files that it names. The result is also a
 * valid input to this function.
 * @param folder base of relative paths; default: the working directory
 * @throws ConfigError with all errors
 */
export async function resolveConfig(input: unknown, folder = process.cwd()): Promise<Config> {
  const parsed = configSchema.safeParse(input);
  if (!parsed.success) throw new ConfigError(toFaults(parsed.error.issues));
  const reader = new FileReader(folder);
  const config = await read(parsed.data, reader);
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return config;
}

type Path = ConfigFault['path'];

/** Reads the files that a configuration names, and collects the errors. */
class FileReader {
  readonly faults: ConfigFault[] = [];
  readonly #folder: string;

  /** @param folder base of relative paths */
  constructor(folder: string) {
    this.#folder = folder;
  }

  refuse(path: Path, problem: string): void {
    this.faults.push({ path, problem });
  }

  resolve(file: string): string {
    return resolve(this.#folder, file);
  }

  /** Returns the trimmed text; empty after an error, if the file cannot be read. */
  async text(file: string, path: Path): Promise<string> {
    const whole = this.resolve(file);
    try {
      const text = (await readFile(whole, 'utf8')).trim();
      if (text === '') this.refuse(path, `refers to ${whole}, which is empty`);
      return text;
    } catch (error) {
      const reason = getSystemErrorMessage((error as NodeJS.ErrnoException).errno ?? 0);
      this.refuse(path, `refers to ${whole}, which cannot be read: ${reason}`);
      return '';
    }
  }

  async json(file: string, path: Path): Promise<unknown> {
    const text = await this.text(file, path);
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      this.refuse(path, `refers to ${this.resolve(file)}, which is not valid JSON`);
      return undefined;
    }
  }
}

async function read(parsed: ParsedConfig, reader: FileReader): Promise<Config> {
  const { listen, store, keys, environments } = parsed;
  const tls = listen.tls && {
    cert: reader.resolve(listen.tls.cert),
    key: reader.resolve(listen.tls.key),
  };
  return {
    ...parsed,
    listen: { ...listen, ...(tls && { tls }) },
    store: store.driver === 'file' ? { ...store, root: reader.resolve(store.root) } : store,
    wireProfile: await readWireProfile(parsed.wireProfile, reader),
    keys: await Promise.all(keys.map((key, index) => readKey(key, index, reader))),
    environments: await mapValues(environments, (environment, name) =>
      readEnvironment(environment, ['environments', name], reader),
    ),
  };
}

async function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From, name: string) => Promise<To>,
): Promise<Record<string, To>> {
  const entries = Object.entries(values).map(async ([name, value]) => [
    name,
    await map(value, name),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

async function readWireProfile(
  given: ParsedConfig['wireProfile'],
  reader: FileReader,
): Promise<WireProfile> {
  if (typeof given !== 'string') return toWireProfile(given as WireProfileInput | undefined);
  const json = await reader.json(given, ['wireProfile']);
  try {
    return toWireProfile(json as WireProfileInput | undefined);
  } catch (error) {
    const { field, problem } = error as WireProfileError;
    reader.faults.push({ path: field.split('.'), problem, place: reader.resolve(given) });
    return toWireProfile();
  }
}

async function readKey(key: ParsedConfig['keys'][number], index: number, reader: FileReader) {
  if (key.file === undefined) return { secret: key.secret as string };
  const path = ['keys', index, 'file'];
  const secret = await reader.text(key.file, path);
  if (secret !== '' && secret.length < 32) {
    reader.refuse(path, 'must be a file with a secret of at least 32 characters');
  }
  return { secret };
}

async function readEnvironment(
  { tokens, credentials, ...rest }: ParsedConfig['environments'][string],
  at: (string | number)[],
  reader: FileReader,
): Promise<EnvironmentConfig> {
  const pairs = credentials.map(async ({ secretFile, secret, ...pair }, index) => {
    if (secretFile === undefined) return { ...pair, secret: secret as string };
    const path = [...at, 'credentials', index, 'secretFile'];
    const text = await reader.text(secretFile, path);
    if (text !== '' && text.length < MIN_SECRET_LENGTH) {
      reader.refuse(
        path,
        `must be a file with a secret of at least ${MIN_SECRET_LENGTH} characters`,
      );
    }
    return { ...pair, secret: text };
  });
  return {
    ...rest,
    credentials: await Promise.all(pairs),
    ...(tokens && {
      tokens: { ...tokens, jwks: await readKeySet(tokens.jwks, [...at, 'tokens', 'jwks'], reader) },
    }),
  };
}

async function readKeySet(
  jwks: string | { keys: Record<string, unknown>[] },
  path: (string | number)[],
  reader: FileReader,
): Promise<KeySet | string> {
  if (typeof jwks !== 'string' || /^https?:/.test(jwks)) return jwks;
  const json = await reader.json(jwks, path);
  if (json !== undefined && !Array.isArray((json as Partial<KeySet>).keys)) {
    reader.refuse(path, `refers to ${reader.resolve(jwks)}, which is not a key set`);
  }
  return json as KeySet;
}
