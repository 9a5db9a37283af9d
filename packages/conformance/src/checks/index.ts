import type { Check } from '../run/check-context.ts';
import { auth } from './auth.ts';
import { authSignature } from './auth-signature.ts';
import { authStorage } from './auth-storage.ts';
import { gatewayAddress } from './gateway-address.ts';
import { gatewayRequests } from './gateway-requests.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { gatewaySockets } from './gateway-sockets.ts';
import { gatewayStreams } from './gateway-streams.ts';
import { storageCopy } from './storage-copy.ts';
import { storageLinks } from './storage-links.ts';
import { storageRequests } from './storage-requests.ts';
import { storageResponses } from './storage-responses.ts';
import { storageSequences } from './storage-sequences.ts';
import { upload } from './upload.ts';

/** All checks, in the order in which they start. The first check in each of the first four files waits for seconds. */
export const checks: readonly Check[] = [
  ...storageLinks,
  ...storageSequences,
  ...gatewayStreams,
  ...gatewaySockets,
  ...gatewayAddress,
  ...gatewayRequests,
  ...gatewayResponses,
  ...auth,
  ...authSignature,
  ...authStorage,
  ...storageRequests,
  ...storageResponses,
  ...storageCopy,
  ...upload,
];
