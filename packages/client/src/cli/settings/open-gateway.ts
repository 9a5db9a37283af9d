import { bearer } from '../../auth/bearer.ts';
import type { GatewayAuth } from '../../auth/credentials.ts';
import { tc3 } from '../../auth/tc3.ts';
import { createGatewayClient, type GatewayClient } from '../../create-gateway-client.ts';
import type { GatewayAddress } from '../../internal/urls.ts';
import type { CommonOptions } from '../create-program.ts';
import { Failure } from '../failure.ts';
import { need, needUrl } from './need.ts';
import { orFailure } from './or-failure.ts';
import { readSettings } from './read-settings.ts';
import { readWireProfile } from './read-wire-profile.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** The gateway client that the settings describe. */
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
