import { Failure } from '../failure.ts';
import { defaultConfigFile } from './read-settings.ts';
import { SETTINGS, type SettingName, type Settings } from './settings.ts';

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
