import { readFile } from 'node:fs/promises';
import { parseWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { bearer, type GatewayAuth } from '../auth/credentials.ts';
import { tc3, tc3Storage } from '../auth/tc3.ts';
import { createGatewayClient, type GatewayClient } from '../create-gateway-client.ts';
import { createStorageClient, type StorageClient } from '../create-storage-client.ts';
import type { GatewayAddress } from '../internal/urls.ts';
import { type CommonOptions, Failure } from './output.ts';

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
function readSetting(name: SettingName): string | undefined {
  return process.env[SETTINGS[name][0]] || undefined;
}

/** @throws Failure if the setting is missing */
function need(name: SettingName): string {
  const value = readSetting(name);
  if (value !== undefined) return value;
  const [variable, meaning] = SETTINGS[name];
  throw new Failure(`${variable} is missing (${meaning}).`, 2);
}

/** @throws Failure if the setting is missing, or is not an http(s) URL */
function needUrl(name: SettingName): string {
  const value = need(name);
  if (/^https?:/i.test(value) && URL.canParse(value)) return value;
  throw new Failure(`${SETTINGS[name][0]} must be a URL such as https://storage.example.com.`, 2);
}

/** Creates the gateway client from the settings. */
export async function openGateway(): Promise<GatewayClient> {
  const options = {
    ...toAddress(),
    auth: toAuth(),
    wireProfile: await readWireProfile(),
  };
  return orFailure('BERTH_GATEWAY_URL or BERTH_GATEWAY_DOMAIN', () => createGatewayClient(options));
}

function toAddress(): GatewayAddress {
  const gatewayDomain = readSetting('gatewayDomain');
  if (gatewayDomain !== undefined && readSetting('gatewayUrl') === undefined) {
    return { envId: need('env'), gatewayDomain };
  }
  return { baseUrl: needUrl('gatewayUrl') };
}

function toAuth(): GatewayAuth {
  const token = readSetting('token');
  if (token !== undefined) return bearer(token);
  if (readSetting('secretId') === undefined && readSetting('secretKey') === undefined) {
    throw new Failure(
      `No credentials for the gateway: set ${SETTINGS.token[0]}, or ${SETTINGS.secretId[0]} and ${SETTINGS.secretKey[0]}.`,
      2,
    );
  }
  return tc3({ ...readKeyPair(), service: readSetting('signingService') });
}

function readKeyPair() {
  const pair = { secretId: need('secretId'), secretKey: need('secretKey') };
  return { ...pair, token: readSetting('sessionToken') };
}

/** Creates the storage client from the settings, and prints the client's warnings as notes. */
export async function openStorage({ quiet }: CommonOptions): Promise<StorageClient> {
  const signature = {
    service: readSetting('signingService'),
    signingHost: readSetting('signingHost'),
  };
  const options = {
    baseUrl: needUrl('storageUrl'),
    envId: need('env'),
    credentials: tc3Storage(readKeyPair(), signature),
    wireProfile: await readWireProfile(),
    onWarning: (text: string) => void (quiet || process.stderr.write(`${text}\n`)),
  };
  return orFailure('BERTH_STORAGE_URL', () => createStorageClient(options));
}

function orFailure<Made>(setting: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw new Failure(`${setting}: ${(error as Error).message}`, 2);
  }
}

/** Reads the deployment's wire profile from a JSON file (D1). Default: the contract's. */
async function readWireProfile(): Promise<WireProfile | undefined> {
  const file = readSetting('wireProfile');
  if (file === undefined) return undefined;
  const text = await readFile(file, 'utf8').catch(({ message }: Error) => {
    throw new Failure(`Cannot read the wire profile ${file}: ${message}.`, 2);
  });
  return orFailure(SETTINGS.wireProfile[0], () => parseWireProfile(text, file));
}
