import { Failure } from './output.ts';

/** All settings, each with its environment variable and a description. */
export const SETTINGS = {
  env: ['BERTH_ENV', 'environment'],
  storageUrl: ['BERTH_STORAGE_URL', 'storage API URL'],
  gatewayUrl: ['BERTH_GATEWAY_URL', 'gateway URL'],
  gatewayDomain: [
    'BERTH_GATEWAY_DOMAIN',
    'gateway domain, used instead of the URL; the environment is prepended as the first label',
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

/** Returns a setting from the environment; `undefined` if it is missing or empty. */
export function readSetting(name: SettingName): string | undefined {
  return process.env[SETTINGS[name][0]] || undefined;
}

/** @throws Failure if the setting is missing */
export function need(name: SettingName): string {
  const value = readSetting(name);
  if (value !== undefined) return value;
  const [variable, meaning] = SETTINGS[name];
  throw new Failure(`${variable} is missing (${meaning}).`, 2);
}

/** @throws Failure if the setting is missing, or is not an http(s) URL */
export function needUrl(name: SettingName): string {
  const value = need(name);
  if (/^https?:/i.test(value) && URL.canParse(value)) return value;
  throw new Failure(`${SETTINGS[name][0]} must be a URL such as https://storage.example.com.`, 2);
}
