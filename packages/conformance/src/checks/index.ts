import type { Check } from '../context/check-context.ts';
import { auth } from './auth.ts';
import { authSignature } from './auth-signature.ts';
import { authStorage } from './auth-storage.ts';
import { gatewayAddress } from './gateway-address.ts';
import { gatewayErrors } from './gateway-errors.ts';
import { gatewayNames } from './gateway-names.ts';
import { gatewayRequestId } from './gateway-request-id.ts';
import { gatewayRequests } from './gateway-requests.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { gatewaySockets } from './gateway-sockets.ts';
import { gatewayStreams } from './gateway-streams.ts';
import { storageCopy } from './storage-copy.ts';
import { storageDelete } from './storage-delete.ts';
import { storageLinks } from './storage-links.ts';
import { storageRefusals } from './storage-refusals.ts';
import { storageRequests } from './storage-requests.ts';
import { storageResponses } from './storage-responses.ts';
import { storageSequences } from './storage-sequences.ts';
import { upload } from './upload.ts';
import { uploadIntegrity } from './upload-integrity.ts';

export const checks: readonly Check[] = [
  ...gatewayAddress,
  ...gatewayNames,
  ...gatewayRequests,
  ...gatewayResponses,
  ...gatewayRequestId,
  ...gatewayErrors,
  ...gatewayStreams,
  ...gatewaySockets,
  ...auth,
  ...authSignature,
  ...authStorage,
  ...storageRequests,
  ...storageResponses,
  ...storageLinks,
  ...storageDelete,
  ...storageCopy,
  ...storageSequences,
  ...storageRefusals,
  ...upload,
  ...uploadIntegrity,
];
