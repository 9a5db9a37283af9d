import { readFile } from 'node:fs/promises';
import { parseWireProfile, toWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { bearer, type GatewayAuth } from '../auth.ts';
import { createGatewayClient, type GatewayClient } from '../gateway.ts';
import { createStorageClient, type StorageClient, type StorageClientOptions } from '../storage.ts';
import { type Tc3KeyPair, type Tc3Options, tc3, tc3Storage } from '../tc3.ts';
import { toBaseUrl } from '../urls.ts';
import { Failure, throwUnreadable, toMessage } from './output.ts';

/** All settings, by their environment variables. `berth-conformance` has the same ones. */
export const SETTINGS = {
  BERTH_ENV: 'ID of the storage environment',
  BERTH_STORAGE_URL: 'URL of the storage API',
  BERTH_GATEWAY_URL: 'URL of the gateway',
  BERTH_GATEWAY_TOKEN: 'access token for the gateway; used instead of the key pair',
  BERTH_TC3_SECRET_ID: 'ID of the key pair',
  BERTH_TC3_SECRET_KEY: 'secret key of the key pair',
  BERTH_TC3_TOKEN: 'session token of a temporary key pair',
  BERTH_TC3_SERVICE: "service name in signatures (default: the contract's)",
  BERTH_STORAGE_SIGNING_HOST: "host name in storage signatures (default: the contract's)",
  BERTH_WIRE_PROFILE: 'JSON file with the wire profile of the deployment',
  BERTH_REQUEST_FORM: 'where storage requests have their fields: top (default) or data',
} as const;

type Setting = keyof typeof SETTINGS;

function readSetting(name: Setting): string | undefined {
  return process.env[name] || undefined;
}

function requireSetting(name: Setting): string {
  const value = readSetting(name);
  if (value === undefined) throw new Failure(`${name} is missing (${SETTINGS[name]}).`, 2);
  return value;
}

function requireUrl(name: Setting, example: string): string {
  const value = requireSetting(name);
  try {
    return toBaseUrl(value);
  } catch {
    const expected = `a URL such as ${example}, without credentials, a query or a fragment`;
    throw new Failure(`${name} must be ${expected}.`, 2);
  }
}

export function openGateway(wireProfile: WireProfile): GatewayClient {
  const baseUrl = requireUrl('BERTH_GATEWAY_URL', 'https://dev.gateway.example');
  return createGatewayClient({ baseUrl, auth: readAuth(), wireProfile });
}

function readAuth(): GatewayAuth {
  const token = readSetting('BERTH_GATEWAY_TOKEN');
  if (token !== undefined) return bearer(token);
  if (!readSetting('BERTH_TC3_SECRET_ID') && !readSetting('BERTH_TC3_SECRET_KEY')) {
    const fix = 'set BERTH_GATEWAY_TOKEN, or BERTH_TC3_SECRET_ID and BERTH_TC3_SECRET_KEY';
    throw new Failure(`No credentials for the gateway: ${fix}.`, 2);
  }
  return tc3(...readSignature());
}

function readSignature(): [Tc3KeyPair, Tc3Options] {
  const secretId = requireSetting('BERTH_TC3_SECRET_ID');
  const secretKey = requireSetting('BERTH_TC3_SECRET_KEY');
  const token = readSetting('BERTH_TC3_TOKEN');
  const service = readSetting('BERTH_TC3_SERVICE');
  const signingHost = readSetting('BERTH_STORAGE_SIGNING_HOST');
  const pair = { secretId, secretKey, token };
  return [pair, { service, signingHost }];
}

export async function openStorage(): Promise<StorageClient> {
  return createStorageClient({
    baseUrl: requireUrl('BERTH_STORAGE_URL', 'https://storage.example'),
    envId: requireSetting('BERTH_ENV'),
    credentials: tc3Storage(...readSignature()),
    wireProfile: await readWireProfile(),
    requestForm: readRequestForm(),
    onWarning: (text) => process.stderr.write(`${text}\n`),
  });
}

export async function readWireProfile(): Promise<WireProfile> {
  const file = readSetting('BERTH_WIRE_PROFILE');
  if (file === undefined) return toWireProfile();
  try {
    const text = await readFile(file, 'utf8').catch((error) => throwUnreadable(file, error));
    return parseWireProfile(text, file);
  } catch (error) {
    throw new Failure(`BERTH_WIRE_PROFILE: ${toMessage(error)}`, 2);
  }
}

function readRequestForm(): StorageClientOptions['requestForm'] {
  const form = readSetting('BERTH_REQUEST_FORM');
  if (form === undefined || form === 'top' || form === 'data') return form;
  throw new Failure('BERTH_REQUEST_FORM must be top or data.', 2);
}
