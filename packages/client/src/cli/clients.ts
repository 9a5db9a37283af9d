import { readFile } from 'node:fs/promises';
import { bearer } from '../auth/bearer.ts';
import type { GatewayAuth } from '../auth/credentials.ts';
import { tc3, tc3Storage } from '../auth/tc3.ts';
import { createGatewayClient, type GatewayClient } from '../create-gateway-client.ts';
import { createStorageClient, type StorageClient } from '../create-storage-client.ts';
import type { GatewayAddress } from '../internal/urls.ts';
import { defaultWireProfile, type WireProfile } from '../wire-profile.ts';
import { type CommonOptions, Failure } from './output.ts';
import { need, needUrl, readSettings, SETTINGS, type Settings } from './settings.ts';

export async function openGateway({ config }: CommonOptions): Promise<GatewayClient> {
  const settings = await readSettings(config);
  const options = {
    ...toAddress(settings),
    auth: toAuth(settings),
    wireProfile: await readWireProfile(settings.wireProfile),
  };
  return orFailure('gatewayUrl or gatewayDomain', () => createGatewayClient(options));
}

function toAddress(settings: Settings): GatewayAddress {
  const { gatewayUrl, gatewayDomain } = settings;
  if (gatewayUrl === undefined && gatewayDomain !== undefined) {
    return { envId: need(settings, 'env'), gatewayDomain };
  }
  return { baseUrl: needUrl(settings, 'gatewayUrl') };
}

function toAuth(settings: Settings): GatewayAuth {
  const { token, secretId, secretKey, sessionToken, signingService: service } = settings;
  if (token !== undefined) return bearer(token);
  if (secretId === undefined && secretKey === undefined) {
    throw new Failure(
      `No credentials for the gateway: set ${SETTINGS.token[0]}, or ${SETTINGS.secretId[0]} and ${SETTINGS.secretKey[0]}.`,
      2,
    );
  }
  const pair = { secretId: need(settings, 'secretId'), secretKey: need(settings, 'secretKey') };
  return tc3({ ...pair, token: sessionToken, service });
}

/** Creates the storage client from the settings, and prints the client's warnings as notes. */
export async function openStorage({ config, quiet }: CommonOptions): Promise<StorageClient> {
  const settings = await readSettings(config);
  const { signingService: service, signingHost, sessionToken: token } = settings;
  const pair = {
    secretId: need(settings, 'secretId'),
    secretKey: need(settings, 'secretKey'),
    token,
  };
  const options = {
    baseUrl: needUrl(settings, 'storageUrl'),
    envId: need(settings, 'env'),
    credentials: tc3Storage(pair, { service, signingHost }),
    wireProfile: await readWireProfile(settings.wireProfile),
    onWarning: (text: string) => void (quiet || process.stderr.write(`${text}\n`)),
  };
  return orFailure('storageUrl', () => createStorageClient(options));
}

function orFailure<Made>(setting: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw new Failure(`${setting}: ${(error as Error).message}`, 2);
  }
}

const SECTIONS = ['storageHeaders', 'uploadFields', 'storeFileID', 'gatewayHeaders'] as const;

/** Reads the deployment's wire profile from a JSON file (D1). Default: the contract's. */
async function readWireProfile(file: string | undefined): Promise<WireProfile> {
  if (file === undefined) return defaultWireProfile;
  let profile: WireProfile;
  try {
    profile = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw new Failure(`Cannot read the wire profile ${file}: ${(error as Error).message}.`, 2);
  }
  const missing = SECTIONS.find((name) => profile?.[name] === undefined);
  if (missing) throw new Failure(`${file} is not a valid wire profile: ${missing} is missing.`, 2);
  return profile;
}
