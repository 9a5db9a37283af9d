import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { readConfigFile } from './read-config-file.ts';
import { SETTINGS, type SettingName, type Settings } from './settings.ts';

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

/** The file that needs no name. */
export function defaultConfigFile(environment: Environment = process.env): string {
  const folder = environment.XDG_CONFIG_HOME || join(homedir(), '.config');
  return join(folder, 'berth', 'config.yaml');
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
