import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { LineCounter, parseDocument } from 'yaml';
import { Failure } from '../failure.ts';
import { SECRETS, SETTINGS, type SettingName, type Settings } from './settings.ts';

const NAMES = Object.keys(SETTINGS);
/** Permissions of the group and of others. */
const FOREIGN = 0o077;

/**
 * Reads settings from a file in YAML, of which JSON is a part. No message quotes the file, which may
 * hold secrets.
 *
 * @throws Failure where the file is wrong, or where others may read secrets in it
 */
export async function readConfigFile(file: string): Promise<Settings> {
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
