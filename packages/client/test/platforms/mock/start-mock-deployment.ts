import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMock, type Mock, type MockOptions } from '@berth/mock';
import { toPin } from '../deployment/create-certificate.ts';
import type { Given } from '../describe-platform.ts';
import { SERVICES } from '../services.ts';
import { slow } from './slow.ts';
import { ticker } from './ticker.ts';

const ENV = 'dev';
/** Enough for the largest files of two platforms that run concurrently. */
const MAX_STORE_BYTES = 500_000_000;

/** A deployment in which a mock serves all URLs. */
export type MockDeployment = Omit<Given, 'project'> & { close(): Promise<unknown> };

/**
 * Starts the mock as a deployment, which checks every signature. It has `echo` built in.
 *
 * @param folder where the certificate to trust is written
 */
export async function startMockDeployment(folder: string): Promise<MockDeployment> {
  const services = { [SERVICES.ticker]: ticker, [SERVICES.slow]: slow };
  const start = (options: MockOptions) =>
    createMock({ env: ENV, auth: 'strict', services, maxStoreBytes: MAX_STORE_BYTES, ...options });
  const [open, secure, strange, closed, gone] = await Promise.all([
    start({}),
    start({ tls: true }),
    start({ tls: true }),
    // No page in the suite has this origin.
    start({ origins: ['https://elsewhere.example'] }),
    start({}),
  ]);
  await gone.close();
  const { id: secretId, secret: secretKey, token } = await open.credentials();
  const file = join(folder, 'trusted.pem');
  const ca = secure.certificate ?? '';
  await writeFile(file, ca);
  return {
    trusted: { file, pin: toPin(ca) },
    deployment: {
      ...surfacesOf(open),
      ...{ nowhere: gone.url, envId: ENV, token, keyPair: { secretId, secretKey } },
      secure: { ...surfacesOf(secure), ca },
      strange: { ...surfacesOf(strange), ca: strange.certificate ?? '' },
      closed: surfacesOf(closed),
    },
    close: () => Promise.all([open, secure, strange, closed].map((mock) => mock.close())),
  };
}

function surfacesOf({ gatewayUrl, storageUrl }: Mock) {
  return { gateway: gatewayUrl, storage: storageUrl };
}
