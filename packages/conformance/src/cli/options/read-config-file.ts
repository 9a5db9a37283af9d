import { dirname, resolve } from 'node:path';
import { StartError } from '../../start-error.ts';
import { readJsonFile } from '../read-file.ts';
import { suggest } from '../suggest.ts';
import { type Given, OPTION_NAMES, OPTIONS, type OptionName } from './options.ts';
import { toValue } from './to-value.ts';

const SETTINGS = OPTION_NAMES.filter((name) => !OPTIONS[name].isCommand);

/**
 * The options of a configuration file. Paths in it begin at its folder.
 *
 * @throws StartError that names the file and what is wrong, and quotes no value
 */
export async function readConfigFile(file: string): Promise<Given> {
  const content = await readJsonFile(file, '--config');
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new StartError(`${file} must hold one JSON object of options.`);
  }
  const entries = Object.entries(content).filter(([key]) => key !== '$schema');
  return Object.fromEntries(entries.map(([key, raw]) => [key, read(file, key, raw)]));
}

function read(file: string, key: string, raw: unknown): unknown {
  if (!SETTINGS.includes(key as OptionName)) {
    throw new StartError(`${file}: there is no option ${key}${suggest(key, SETTINGS)}`);
  }
  const name = key as OptionName;
  const value = toValue(OPTIONS[name], raw, `${key} in ${file}`);
  const folder = dirname(file);
  if (OPTIONS[name].isFile) return resolve(folder, value as string);
  if (name === 'report') {
    return (value as string[]).map((each) =>
      each.replace(/^([a-z]+=)(.+)$/s, (_, kind, path) => kind + resolve(folder, path)),
    );
  }
  return value;
}
