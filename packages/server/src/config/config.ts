import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { getSystemErrorMessage } from 'node:util';
import { toWireProfile, type WireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import type { TokenSettings } from './key-set.ts';
import { ConfigError, type ConfigProblem, validate } from './problems.ts';
import { isUrl, type ParsedConfig } from './schema.ts';

type ParsedEnvironment = ParsedConfig['environments'][string];

interface KeyPair {
  readonly id: string;
  readonly secret: string;
  readonly token?: string | undefined;
}

export interface EnvironmentConfig extends Omit<ParsedEnvironment, 'credentials' | 'tokens'> {
  readonly credentials: readonly KeyPair[];
  readonly tokens?: TokenSettings | undefined;
}

/**
 * A configuration with its defaults filled in, its files read and its paths made absolute. It contains
 * secrets.
 */
export interface Config extends Omit<ParsedConfig, 'environments' | 'keys' | 'wireProfile'> {
  readonly wireProfile: WireProfile;
  readonly keys: readonly { readonly secret: string }[];
  readonly environments: Readonly<Record<string, EnvironmentConfig>>;
}

/**
 * Validates a configuration, fills in the defaults and reads the files that it names. The result is also a
 * valid input to this function.
 * @param folder base of relative paths; default: the working directory
 * @throws ConfigError with all errors
 */
export async function resolveConfig(input: unknown, folder = process.cwd()): Promise<Config> {
  const { config, problems } = await readFiles(validate(input), folder);
  if (problems.length > 0) throw new ConfigError(problems);
  // Again, with the contents of the files.
  const { wireProfile, ...rest } = validate(config);
  return { ...rest, wireProfile: toWireProfile(wireProfile as WireProfileInput) } as Config;
}

type Path = ConfigProblem['path'];
type Tls = NonNullable<ParsedConfig['listen']['tls']>;

async function readFiles(config: ParsedConfig, folder: string) {
  const problems: ConfigProblem[] = [];
  const { listen, store, keys, environments } = config;
  if (store.driver === 'file') store.root = resolve(folder, store.root);
  if (listen.tls !== undefined) listen.tls = await readTls(listen.tls);
  if (typeof config.wireProfile === 'string') {
    config.wireProfile = await readJson(config.wireProfile, ['wireProfile']);
  }
  for (const [index, key] of keys.entries()) await readSecret(key, ['keys', index]);
  for (const [name, { credentials, tokens }] of Object.entries(environments)) {
    const path = ['environments', name];
    for (const [index, pair] of credentials.entries()) {
      await readSecret(pair, [...path, 'credentials', index]);
    }
    if (typeof tokens?.jwks === 'string' && !isUrl(tokens.jwks)) {
      // Validated below, as if it were in the configuration.
      const keySet: object = await readJson(tokens.jwks, [...path, 'tokens', 'jwks']);
      tokens.jwks = keySet as Exclude<typeof tokens.jwks, string>;
    }
  }
  return { config, problems };

  function addProblem(path: Path, message: string): void {
    problems.push({ path, message });
  }

  /** Returns the trimmed text; empty after an error. */
  async function readText(name: string, path: Path): Promise<string> {
    const file = resolve(folder, name);
    try {
      const text = (await readFile(file, 'utf8')).trim();
      if (text === '') addProblem(path, `refers to ${file}, which is empty`);
      return text;
    } catch (error) {
      const { errno, message } = error as NodeJS.ErrnoException;
      const reason = errno === undefined ? message : getSystemErrorMessage(errno);
      addProblem(path, `refers to ${file}, which cannot be read: ${reason}`);
      return '';
    }
  }

  async function readJson(name: string, path: Path): Promise<Record<string, unknown>> {
    const text = await readText(name, path);
    const value = toJson(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
    if (text !== '') {
      addProblem(path, `refers to ${resolve(folder, name)}, which is not a JSON object`);
    }
    return {};
  }

  async function readSecret(
    holder: { secret?: string | undefined; secretFile?: string | undefined },
    path: Path,
  ): Promise<void> {
    const { secretFile } = holder;
    if (secretFile === undefined) return;
    holder.secret = await readText(secretFile, [...path, 'secretFile']);
    delete holder.secretFile;
  }

  /** Reads a certificate and its key, and lets OpenSSL check them. */
  async function readTls(names: Tls): Promise<Tls> {
    const at = (name: keyof Tls) => ['listen', 'tls', name];
    const cert = isPem(names.cert) ? names.cert : await readText(names.cert, at('cert'));
    const key = isPem(names.key) ? names.key : await readText(names.key, at('key'));
    if (cert === '' || key === '') return names;
    if (!isUsable({ cert })) addProblem(at('cert'), 'must be a PEM file with a certificate');
    else if (!isUsable({ key })) {
      addProblem(at('key'), 'must be a PEM file with a private key that has no password');
    } else if (!isUsable({ cert, key })) {
      addProblem(['listen', 'tls'], 'must contain a certificate and its private key');
    }
    return { cert, key };
  }
}

/** Whether it is the content of a file, and not its name. */
function isPem(value: string): boolean {
  return value.includes('-----BEGIN ');
}

function isUsable(options: SecureContextOptions): boolean {
  try {
    createSecureContext(options);
    return true;
  } catch {
    return false;
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
