import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { LineCounter, parseDocument } from 'yaml';
import { Failure } from './output.ts';

/** All settings, each with its name in the file, its environment variable and a description. */
export const SETTINGS = {
  env: ['BERTH_ENV', 'environment'],
  storageUrl: ['BERTH_STORAGE_URL', 'storage API URL'],
  gatewayUrl: ['BERTH_GATEWAY_URL', 'gateway URL'],
  gatewayDomain: [
    'BERTH_GATEWAY_DOMAIN',
    'gateway domain, used instead of gatewayUrl; the environment is prepended as the first label',
  ],
  secretId: ['BERTH_SECRET_ID', 'secret ID of the key pair'],
  secretKey: ['BERTH_SECRET_KEY', 'secret key of the key pair'],
  sessionToken: ['BERTH_SESSION_TOKEN', 'session token, for a temporary key pair'],
  token: ['BERTH_TOKEN', 'access token for the gateway; takes precedence over the key pair'],
  signingService: [
    'BERTH_SIGNING_SERVICE',
    'service name to use in signatures instead of the default',
  ],
  signingHost: [
    'BERTH_SIGNING_HOST',
    'host name to use in storage signatures instead of the default',
  ],
  wireProfile: ['BERTH_WIRE_PROFILE', "JSON file with the deployment's wire profile"],
} as const;

type SettingName = keyof typeof SETTINGS;

export type Settings = { readonly [Name in SettingName]?: string };

/** Settings that must not be readable by other users of the machine. */
const SECRETS: readonly SettingName[] = ['secretKey', 'sessionToken', 'token'];

const NAMES = Object.keys(SETTINGS);

const GROUP_AND_OTHERS = 0o077;

/**
 * Reads settings from the environment. Any setting that is missing there is read from a file: the file that
 * the user named, the file in `BERTH_CONFIG`, or the user's default file if it exists.
 *
 * @throws Failure if a named file does not exist, or if a file is invalid
 */
export async function readSettings(named: string | undefined): Promise<Settings> {
  const given = Object.entries(SETTINGS).flatMap(([name, [variable]]) => {
    const value = process.env[variable];
    return value ? [[name, value] as const] : [];
  });
  const file = named ?? (process.env.BERTH_CONFIG || undefined);
  return { ...(await readFrom(file)), ...Object.fromEntries(given) };
}

async function readFrom(file: string | undefined): Promise<Settings> {
  try {
    return await readConfigFile(file ?? defaultConfigFile());
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof Failure) throw error;
    if (file === undefined && code === 'ENOENT') return {};
    throw new Failure(`Cannot read the settings: ${message}.`, 2);
  }
}

function defaultConfigFile(): string {
  const folder = process.env.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'berth', 'config.yaml');
}

export function need(settings: Settings, name: SettingName): string {
  const value = settings[name];
  if (value !== undefined) return value;
  const [variable, meaning] = SETTINGS[name];
  throw new Failure(
    `${name} is missing (${meaning}): set ${variable}, or ${name} in ${defaultConfigFile()}.`,
    2,
  );
}

export function needUrl(settings: Settings, name: SettingName): string {
  const value = need(settings, name);
  if (/^https?:/i.test(value) && URL.canParse(value)) return value;
  throw new Failure(`${name} must be a URL such as https://storage.example.com.`, 2);
}

/**
 * Reads settings from a YAML file (JSON is a subset of YAML). Error messages never quote the file,
 * because it may contain secrets.
 *
 * @throws Failure if the file is invalid, or if it contains secrets and other users can read it
 */
async function readConfigFile(file: string): Promise<Settings> {
  const settings = parse(file, await readFile(file, 'utf8'));
  const hasSecrets = SECRETS.some((name) => settings[name] !== undefined);
  if (hasSecrets && process.platform !== 'win32' && (await stat(file)).mode & GROUP_AND_OTHERS) {
    throw new Failure(`Other users can read the secrets in ${file}: run chmod 600 ${file}`, 2);
  }
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
  let content: unknown;
  try {
    content = document.toJS();
  } catch {
    throw new Failure(
      `${file} has a YAML alias without an anchor: quote values that contain * or &.`,
      2,
    );
  }
  if (content === null) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new Failure(`${file} must contain one setting per line, such as "env: dev".`, 2);
  }
  const { $schema: _editors, ...settings } = content as Record<string, unknown>;
  for (const [name, value] of Object.entries(settings)) assertSetting(file, name, value);
  return settings as Settings;
}

function assertSetting(file: string, name: string, value: unknown): void {
  if (!NAMES.includes(name)) {
    const known = `Did you mean ${closest(name, NAMES)}? Available settings: ${NAMES.join(', ')}.`;
    throw new Failure(`${file}: unknown setting ${name}. ${known}`, 2);
  }
  if (typeof value !== 'string' || value === '') {
    throw new Failure(
      `${file}: ${name as SettingName} must be a string: put the value in quotes, or remove it.`,
      2,
    );
  }
}
