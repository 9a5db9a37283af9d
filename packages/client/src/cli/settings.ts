import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { LineCounter, parseDocument } from 'yaml';
import { Failure } from './output.ts';

/** What the commands are set up with, each by its name in the file, its variable and its meaning. */
export const SETTINGS = {
  env: ['BERTH_ENV', 'environment'],
  storageUrl: ['BERTH_STORAGE_URL', 'address of the storage API'],
  gatewayUrl: ['BERTH_GATEWAY_URL', 'address of the gateway'],
  gatewayDomain: [
    'BERTH_GATEWAY_DOMAIN',
    'or its domain, to which the environment is put in front',
  ],
  secretId: ['BERTH_SECRET_ID', 'key pair: names it'],
  secretKey: ['BERTH_SECRET_KEY', 'key pair: signs'],
  sessionToken: ['BERTH_SESSION_TOKEN', 'key pair: its token, where it is temporary'],
  token: ['BERTH_TOKEN', 'access token for the gateway; goes before the key pair'],
  signingService: ['BERTH_SIGNING_SERVICE', 'service in signatures, where it is another'],
  signingHost: ['BERTH_SIGNING_HOST', 'host in signatures of storage, where it is another'],
  wireProfile: ['BERTH_WIRE_PROFILE', 'JSON file with names of the deployment'],
} as const;

type SettingName = keyof typeof SETTINGS;

export type Settings = { readonly [Name in SettingName]?: string };

/** Those that nobody else on the machine may read. */
const SECRETS: readonly SettingName[] = ['secretKey', 'sessionToken', 'token'];

const NAMES = Object.keys(SETTINGS);

/** Permissions of the group and of others. */
const FOREIGN = 0o077;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settings of the environment, and where it has none those of a file: the named one, else
 * `BERTH_CONFIG`, else the user's own where there is one.
 *
 * @throws Failure where a file is missing that was named, or wrong
 */
export async function readSettings(
  named: string | undefined,
  environment: Environment = process.env,
): Promise<Settings> {
  const file = named ?? (environment.BERTH_CONFIG || undefined);
  const names = Object.keys(SETTINGS) as SettingName[];
  const given = names.flatMap((name) => {
    const value = environment[SETTINGS[name][0]];
    return value ? [[name, value] as const] : [];
  });
  return { ...(await readFrom(file, environment)), ...Object.fromEntries(given) };
}

async function readFrom(file: string | undefined, environment: Environment): Promise<Settings> {
  try {
    return await readConfigFile(file ?? defaultConfigFile(environment));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof Failure) throw error;
    if (file === undefined && code === 'ENOENT') return {};
    throw new Failure(`The settings cannot be read: ${message}.`, 2);
  }
}

/** The file that needs no name. */
function defaultConfigFile(environment: Environment = process.env): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'berth', 'config.yaml');
}

/**
 * A setting that a command cannot do without.
 *
 * @throws Failure that says where it can be set
 */
export function need(settings: Settings, name: SettingName): string {
  const value = settings[name];
  if (value !== undefined) return value;
  const [variable, meaning] = SETTINGS[name];
  throw new Failure(
    `${name} is missing (${meaning}): set ${variable}, or ${name} in ${defaultConfigFile()}.`,
    2,
  );
}

/**
 * The same for an address.
 *
 * @throws Failure where it is none
 */
export function needUrl(settings: Settings, name: SettingName): string {
  const value = need(settings, name);
  if (/^https?:/i.test(value) && URL.canParse(value)) return value;
  throw new Failure(`${name} must be an address like https://storage.example.com.`, 2);
}

/**
 * Reads settings from a file in YAML, of which JSON is a part. No message quotes the file, which may
 * hold secrets.
 *
 * @throws Failure where the file is wrong, or where others may read secrets in it
 */
async function readConfigFile(file: string): Promise<Settings> {
  const settings = parse(file, await readFile(file, 'utf8'));
  if (SECRETS.some((name) => settings[name] !== undefined)) await assertPrivate(file);
  const { wireProfile } = settings;
  return wireProfile ? { ...settings, wireProfile: resolve(dirname(file), wireProfile) } : settings;
}

function parse(file: string, text: string): Settings {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new Failure(`${file}:${line}:${col} is no valid YAML (${error.code}).`, 2);
  }
  const content: unknown = toValue(file, () => document.toJS());
  if (content === null) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new Failure(`${file} must hold settings like "env: dev", one a line.`, 2);
  }
  const { $schema: _editors, ...settings } = content as Record<string, unknown>;
  for (const [name, value] of Object.entries(settings)) assertSetting(file, name, value);
  return settings as Settings;
}

function toValue(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw new Failure(`${file} has an alias without an anchor; quote values with * or &.`, 2);
  }
}

function assertSetting(file: string, name: string, value: unknown): void {
  if (!NAMES.includes(name)) {
    const known = `Did you mean ${closest(name, NAMES)}? Known are ${NAMES.join(', ')}.`;
    throw new Failure(`${file}: ${name} is no setting. ${known}`, 2);
  }
  if (typeof value !== 'string' || value === '') {
    throw new Failure(`${file}: ${name as SettingName} must be a text; quote it, or remove it.`, 2);
  }
}

async function assertPrivate(file: string): Promise<void> {
  if (process.platform === 'win32' || ((await stat(file)).mode & FOREIGN) === 0) return;
  throw new Failure(`Others can read the secrets in ${file}: run chmod 600 ${file}`, 2);
}
