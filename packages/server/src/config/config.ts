import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { getSystemErrorMessage } from 'node:util';
import type { Credential } from '@berth/server-stubs/auth';
import {
  toWireProfile,
  type WireProfile,
  WireProfileError,
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
  visit,
} from 'yaml';
import { findKeyProblem, type KeySet } from './key-set.ts';
import { ConfigError, type ConfigProblem, validate } from './problems.ts';
import { type ConfigInput, isUrl, MIN_LENGTHS, type ParsedConfig, type Secret } from './schema.ts';

type ParsedEnvironment = ParsedConfig['environments'][string];

interface EnvironmentConfig extends Omit<ParsedEnvironment, 'credentials'> {
  readonly credentials: Credential[];
}

export type Quota = NonNullable<EnvironmentConfig['quota']>;

/** A configuration with its defaults filled in, its files read and its paths made absolute. It contains secrets. */
export interface Config extends Omit<ParsedConfig, 'environments' | 'keys' | 'wireProfile'> {
  readonly wireProfile: WireProfile;
  readonly keys: readonly { readonly secret: string }[];
  readonly environments: Readonly<Record<string, EnvironmentConfig>>;
}

/** Reads a configuration: settings, or the name of a file with them. @throws ConfigError */
export function readConfig(input: ConfigInput | string): Promise<Config> {
  return typeof input === 'string' ? loadConfig(input) : resolveConfig(input);
}

/**
 * Reads a configuration file (YAML or JSON). Relative paths are relative to its folder, and `${NAME}` in a
 * string refers to an environment variable.
 *
 * @throws ConfigError that names file, line and column of each error; of syntax errors, or else of invalid settings
 */
export async function loadConfig(
  file: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Config> {
  const text = await readUnicode(file).catch((error: NodeJS.ErrnoException) => {
    const fix = 'Check the name of the configuration file';
    const message = `cannot be read: ${toReason(error)}. ${fix}`;
    throw new ConfigError([{ path: [], place: file, message }]);
  });
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  try {
    const toProblem = (message: string, offset: number) => ({ path: [], message, offset });
    const syntax = document.errors.map(({ message, pos }) => toProblem(message, pos[0]));
    if (syntax.length > 0) throw new ConfigError(syntax);
    setReferences(document, env);
    return await resolveConfig(toValue(document), dirname(resolve(file)));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const toPlaced = (problem: ConfigProblem) => {
      const { line, col } = lines.linePos(problem.offset ?? offsetOf(document, problem.path));
      return { ...problem, place: `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}` };
    };
    throw new ConfigError(error.problems.map(toPlaced));
  }
}

/** YAML 1.2, section 5.2: "must support the UTF-8 and UTF-16 character encodings". Without a BOM, a file is UTF-8. */
async function readUnicode(file: string): Promise<string> {
  const bytes = await readFile(file);
  const encodings: Record<string, string> = { fffe: 'utf-16le', feff: 'utf-16be' };
  return new TextDecoder(encodings[bytes.toString('hex', 0, 2)]).decode(bytes);
}

/** The values of a document; an empty one has no settings. Aliases are not limited, because operators write the file. */
function toValue(document: Document): unknown {
  return document.toJS({ maxAliasCount: -1 }) ?? {};
}

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

/** Replaces the references to environment variables. @throws ConfigError */
function setReferences(document: Document, env: NodeJS.ProcessEnv): void {
  const references = new Set<unknown>();
  const problems: ConfigProblem[] = [];
  const add = ({ range }: Node, message: string) =>
    problems.push({ path: [], message, offset: range?.[0] });
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) === undefined) add(node, `There is no anchor &${node.source}`);
    },
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string') return;
      node.value = node.value.replace(REFERENCE, (reference, name: string) => {
        const value = env[name];
        references.add(node);
        if (value === undefined) add(node, `The environment variable ${name} is not set`);
        return value ?? reference;
      });
    },
  });
  if (problems.length > 0) throw new ConfigError(problems);
  setTypes(document, references);
}

/** Environment variables are strings. For a setting of another type, reads them as YAML does. */
function setTypes(document: Document, references: ReadonlySet<unknown>): void {
  if (references.size === 0) return;
  for (const { path, hasWrongType } of validate(toValue(document)).problems) {
    const node = document.getIn(path, true);
    if (!hasWrongType || !isScalar(node) || !references.has(node)) continue;
    const { contents } = parseDocument(String(node.value));
    const value = isScalar(contents) ? contents.value : undefined;
    if (typeof value === 'number' || typeof value === 'boolean') node.value = value;
  }
}

function offsetOf(document: Document, path: ConfigProblem['path']): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => (isScalar(key) ? key.value : key) === name)
      : undefined;
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node)) return node.range?.[0] ?? 0;
  }
  return 0;
}

/**
 * Validates a configuration, fills in the defaults and reads the files that it names.
 *
 * @param folder base of relative paths; default: the working directory
 * @throws ConfigError with all errors; of files only if the settings are valid
 */
export async function resolveConfig(input: unknown, folder = process.cwd()): Promise<Config> {
  const { config, problems } = validate(input);
  if (config === undefined) throw new ConfigError(problems);
  const resolved = await readFiles(config, folder, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved;
}

function toReason({ errno, message }: NodeJS.ErrnoException): string {
  return errno === undefined ? message : getSystemErrorMessage(errno);
}

type Path = ConfigProblem['path'];
type Tls = NonNullable<ParsedConfig['listen']['tls']>;

/** Replaces the names of files by their contents. @param problems gets what is wrong with them */
async function readFiles(
  config: ParsedConfig,
  folder: string,
  problems: ConfigProblem[],
): Promise<Config> {
  const { listen, store } = config;
  const keys: { secret: string }[] = [];
  for (const [index, key] of config.keys.entries()) {
    keys.push({ secret: await readSecret(key, ['keys', index], MIN_LENGTHS.key) });
  }
  const environments: Record<string, EnvironmentConfig> = {};
  for (const [name, environment] of Object.entries(config.environments)) {
    environments[name] = await readEnvironment(environment, ['environments', name]);
  }
  return {
    ...config,
    listen: { ...listen, tls: listen.tls && (await readTls(listen.tls)) },
    store: store.driver === 'file' ? { ...store, root: resolve(folder, store.root) } : store,
    wireProfile: await readWireProfile(config.wireProfile),
    keys,
    environments,
  };

  async function readEnvironment(
    environment: ParsedEnvironment,
    path: Path,
  ): Promise<EnvironmentConfig> {
    const { tokens } = environment;
    const credentials: EnvironmentConfig['credentials'] = [];
    for (const [index, pair] of environment.credentials.entries()) {
      const pairPath = [...path, 'credentials', index];
      const secret = await readSecret(pair, pairPath, MIN_LENGTHS.credential);
      const { secretFile, ...credential } = pair;
      credentials.push({ ...credential, secret });
    }
    if (tokens === undefined) return { ...environment, credentials };
    const jwks = await readKeySet(tokens.jwks, [...path, 'tokens', 'jwks']);
    return { ...environment, credentials, tokens: { ...tokens, jwks } };
  }

  async function readKeySet(jwks: KeySet | string, path: Path): Promise<KeySet | string> {
    if (typeof jwks !== 'string' || isUrl(jwks)) return jwks;
    const keySet = (await readJson(jwks, path)) as KeySet | undefined;
    const message = keySet && findKeyProblem(keySet);
    if (message !== undefined) problems.push({ path, message });
    return keySet ?? jwks;
  }

  async function readWireProfile(profile: ParsedConfig['wireProfile']): Promise<WireProfile> {
    const path = ['wireProfile'];
    const isFile = typeof profile === 'string';
    const input = isFile ? await readJson(profile, path) : profile;
    try {
      return toWireProfile(input as WireProfileInput | undefined);
    } catch (error) {
      if (!(error instanceof WireProfileError)) throw error;
      const { field, problem } = error;
      problems.push({ path: [...path, ...field.split('.')], message: problem });
      return toWireProfile();
    }
  }

  async function readTls(names: Tls): Promise<Tls> {
    const path = ['listen', 'tls'];
    const read = async (name: keyof Tls, form: string, parse: (text: string) => unknown) => {
      const text = await readText(names[name], [...path, name]);
      try {
        if (text !== '') parse(text);
        return text;
      } catch {
        addProblem([...path, name], names[name], `is not ${form}`);
        return '';
      }
    };
    const cert = await read('cert', 'a PEM certificate', (text) => new X509Certificate(text));
    const key = await read('key', 'a PEM private key without a password', createPrivateKey);
    if (cert === '' || key === '') return names;
    try {
      createSecureContext({ cert, key });
    } catch (error) {
      const reason = (error as Error).message;
      problems.push({ path, message: `must be a certificate and its private key (${reason})` });
    }
    return { cert, key };
  }

  function readSecret(settings: Secret, path: Path, minLength: number): Promise<string> | string {
    const { secret = '', secretFile } = settings;
    return secretFile === undefined
      ? secret
      : readText(secretFile, [...path, 'secretFile'], minLength);
  }

  /** Returns undefined if it has added a problem. */
  async function readJson(name: string, path: Path): Promise<object | undefined> {
    const text = await readText(name, path);
    if (text === '') return undefined;
    try {
      const value = JSON.parse(text);
      if (typeof value === 'object' && value !== null) return value;
    } catch {}
    addProblem(path, name, 'is not a JSON object');
    return undefined;
  }

  async function readText(name: string, path: Path, minLength = 1): Promise<string> {
    if (name.includes('\n')) {
      // Not quoted, because it may be a private key.
      problems.push({ path, message: 'must be the name of a file, not its content' });
      return '';
    }
    try {
      const text = (await readUnicode(resolve(folder, name))).trim();
      const short = text === '' ? 'is empty' : `must have at least ${minLength} characters`;
      if (text.length < minLength) addProblem(path, name, short);
      return text;
    } catch (error) {
      const reason = toReason(error as NodeJS.ErrnoException);
      addProblem(path, name, `cannot be read: ${reason}`);
      return '';
    }
  }

  /** @param fault what is wrong with the file, as the end of a sentence */
  function addProblem(path: Path, name: string, fault: string): void {
    problems.push({ path, message: `refers to ${resolve(folder, name)}, which ${fault}` });
  }
}
