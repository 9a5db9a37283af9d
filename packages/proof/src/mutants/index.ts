import { auth } from './auth.ts';
import { authSignature } from './auth-signature.ts';
import { authStorage } from './auth-storage.ts';
import { gatewayAddress } from './gateway-address.ts';
import { gatewayDisposition } from './gateway-disposition.ts';
import { gatewayErrors } from './gateway-errors.ts';
import { gatewayNames } from './gateway-names.ts';
import { gatewayRequestId } from './gateway-request-id.ts';
import { gatewayRequests } from './gateway-requests.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { gatewaySockets } from './gateway-sockets.ts';
import { gatewayStreams } from './gateway-streams.ts';
import type { Mutant } from './mutant.ts';
import { storageCalls } from './storage-calls.ts';
import { storageCopy } from './storage-copy.ts';
import { storageCopyPaths } from './storage-copy-paths.ts';
import { storageCopyResponses } from './storage-copy-responses.ts';
import { storageDelete } from './storage-delete.ts';
import { storageEnvelope } from './storage-envelope.ts';
import { storageLinks } from './storage-links.ts';
import { storageRefusals } from './storage-refusals.ts';
import { storageUploadMetadata } from './storage-upload-metadata.ts';
import { upload } from './upload.ts';
import { uploadResponses } from './upload-responses.ts';

/** The mutants for each rule, in the order of the rules. They were written along with the checks. */
export const mutants: readonly Mutant[] = [
  ...gatewayAddress,
  ...gatewayNames,
  ...gatewayRequests,
  ...gatewayResponses,
  ...gatewayDisposition,
  ...gatewayRequestId,
  ...gatewayErrors,
  ...gatewayStreams,
  ...gatewaySockets,
  ...auth,
  ...authSignature,
  ...authStorage,
  ...storageCalls,
  ...storageEnvelope,
  ...storageUploadMetadata,
  ...storageLinks,
  ...storageDelete,
  ...storageCopy,
  ...storageCopyResponses,
  ...storageCopyPaths,
  ...storageRefusals,
  ...upload,
  ...uploadResponses,
];
