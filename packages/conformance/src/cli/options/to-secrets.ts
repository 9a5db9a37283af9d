import { listSecrets, type Secrets } from '../../report/redact.ts';
import type { Given } from './options.ts';

/** The credentials among the options, also where they are not good enough for a run. */
export function toSecrets(given: Given): Secrets {
  const { gatewayToken, otherEnvToken, expiredToken, proxy, storageHeader = [] } = given;
  const { tc3SecretId: secretId = '', tc3SecretKey: secretKey = '', tc3Token: token } = given;
  const headers = storageHeader.map((header) => header.split(/:[ \t]*/s));
  return listSecrets({
    ...{ gatewayToken, otherEnvToken, expiredToken, proxy },
    tc3: { secretId, secretKey, token, service: '', storageSigningHost: '' },
    storageHeaders: Object.fromEntries(
      headers.map(([name = '', ...rest]) => [name, rest.join(':')]),
    ),
  });
}
