import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import {
  toWireProfile,
  type WireProfile,
  type WireProfileError,
  type WireProfileInput,
} from '@berth/spec/wire-profile';
import {
  type Config,
  ConfigError,
  type ConfigFault,
  type EnvironmentConfig,
  type KeySet,
} from './config.ts';
import { configSchema, type ParsedConfig } from './config-schema.ts';
import { MIN_SECRET_LENGTH } from './environment-schema.ts';
import { toFaults } from './to-faults.ts';

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
