import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { LineCounter, parseDocument } from 'yaml';
import { Failure } from './output.ts';

/** The settings of all commands: name in the file, environment variable and meaning. */
export const SETTINGS = {
  env: ['BERTH_ENV', 'environment'],
  storageUrl: ['BERTH_STORAGE_URL', 'URL of the storage API'],
  gatewayUrl: ['BERTH_GATEWAY_URL', 'URL of the gateway'],
  gatewayDomain: [
    'BERTH_GATEWAY_DOMAIN',
    'domain of the gateway, instead of its URL; the environment becomes the first label',
  ],
  secretId: ['BERTH_SECRET_ID', 'ID of the key pair'],
  secretKey: ['BERTH_SECRET_KEY', 'secret key of the key pair'],
  sessionToken: ['BERTH_SESSION_TOKEN', 'session token of a temporary key pair'],
  token: ['BERTH_TOKEN', 'access token for the gateway; takes precedence over the key pair'],
  signingService: ['BERTH_SIGNING_SERVICE', 'service in signatures, if not the default'],
  signingHost: ['BERTH_SIGNING_HOST', 'host in storage signatures, if not the default'],
  wireProfile: ['BERTH_WIRE_PROFILE', 'JSON file with the wire profile of the deployment'],
} as const;

type SettingName = keyof typeof SETTINGS;

export type Settings = { readonly [Name in SettingName]?: string };

/** Settings that nobody else on the machine may read. */
const SECRETS: readonly SettingName[] = ['secretKey', 'sessionToken', 'token'];

const NAMES = Object.keys(SETTINGS);

/** File permissions of the group and of others. */
const GROUP_AND_OTHERS = 0o077;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settings from the environment; those it lacks come from a file: the named one, `BERTH_CONFIG`, or the
 * user's own if it exists.
 *
 * @throws Failure if a named file is missing, or if a file is invalid
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
    throw new Failure(`Cannot read the settings: ${message}.`, 2);
  }
}

/** The file used by default. */
function defaultConfigFile(environment: Environment = process.env): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'berth', 'config.yaml');
}

/**
 * A required setting.
 *
 * @throws Failure that says where to set it
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
 * A required setting that is a URL.
 *
 * @throws Failure if it is missing or not a URL
 */
export function needUrl(settings: Settings, name: SettingName): string {
  const value = need(settings, name);
  if (/^https?:/i.test(value) && URL.canParse(value)) return value;
  throw new Failure(`${name} must be a URL such as https://storage.example.com.`, 2);
}

/**
 * Reads settings from a YAML file; JSON is a subset of YAML. No message quotes the file, which may
 * contain secrets.
 *
 * @throws Failure if the file is invalid, or if it contains secrets that others may read
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
    throw new Failure(`${file}:${line}:${col} is not valid YAML (${error.code}).`, 2);
  }
  const content: unknown = toValue(file, () => document.toJS());
  if (content === null) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new Failure(`${file} must contain settings such as "env: dev", one per line.`, 2);
  }
  const { $schema: _editors, ...settings } = content as Record<string, unknown>;
  for (const [name, value] of Object.entries(settings)) assertSetting(file, name, value);
  return settings as Settings;
}

function toValue(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw new Failure(
      `${file} has an alias without an anchor: quote values that contain * or &.`,
      2,
    );
  }
}

function assertSetting(file: string, name: string, value: unknown): void {
  if (!NAMES.includes(name)) {
    const known = `Did you mean ${closest(name, NAMES)}? Settings: ${NAMES.join(', ')}.`;
    throw new Failure(`${file}: ${name} is not a setting. ${known}`, 2);
  }
  if (typeof value !== 'string' || value === '') {
    throw new Failure(
      `${file}: ${name as SettingName} must be a string: quote it, or remove it.`,
      2,
    );
  }
}

async function assertPrivate(file: string): Promise<void> {
  if (process.platform === 'win32' || ((await stat(file)).mode & GROUP_AND_OTHERS) === 0) return;
  throw new Failure(`The secrets in ${file} are readable by others: run chmod 600 ${file}`, 2);
}
