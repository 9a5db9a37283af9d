import type { Api } from '../contract/apis.ts';
import type { Settings } from '../options.ts';

/** The headers that identify the caller, and `Host` where the operator gave one. */
export function credentialsOf(
  api: Api,
  { gatewayHost, gatewayToken, storageHeaders }: Settings,
): Record<string, string> {
  if (api === 'storage') return storageHeaders;
  return {
    ...(gatewayHost === undefined ? {} : { Host: gatewayHost }),
    ...(gatewayToken === undefined ? {} : { Authorization: `Bearer ${gatewayToken}` }),
  };
}
