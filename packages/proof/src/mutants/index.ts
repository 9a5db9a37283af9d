import { auth } from './auth/index.ts';
import { authSignature } from './auth-signature/index.ts';
import { authStorage } from './auth-storage/index.ts';
import { gatewayAddress } from './gateway-address/index.ts';
import { gatewayAnswers } from './gateway-answers/index.ts';
import { gatewayDisposition } from './gateway-disposition/index.ts';
import { gatewayErrors } from './gateway-errors/index.ts';
import { gatewayNames } from './gateway-names/index.ts';
import { gatewayRequestId } from './gateway-request-id/index.ts';
import { gatewayRequests } from './gateway-requests/index.ts';
import { gatewayStreams } from './gateway-streams/index.ts';
import type { Mutant } from './mutant.ts';
import { storageCalls } from './storage-calls/index.ts';
import { storageCopy } from './storage-copy/index.ts';
import { storageCopyAnswers } from './storage-copy-answers/index.ts';
import { storageCopyPaths } from './storage-copy-paths/index.ts';
import { storageDelete } from './storage-delete/index.ts';
import { storageEnvelope } from './storage-envelope/index.ts';
import { storageLinks } from './storage-links/index.ts';
import { storageRefusals } from './storage-refusals/index.ts';
import { storageUploadMetadata } from './storage-upload-metadata/index.ts';
import { upload } from './upload/index.ts';
import { uploadAnswers } from './upload-answers/index.ts';

/** The mutants of each rule, written with its check, in the order of the rules. */
export const mutants: readonly Mutant[] = [
  ...gatewayAddress,
  ...gatewayNames,
  ...gatewayRequests,
  ...gatewayAnswers,
  ...gatewayDisposition,
  ...gatewayRequestId,
  ...gatewayErrors,
  ...gatewayStreams,
  ...auth,
  ...authSignature,
  ...authStorage,
  ...storageCalls,
  ...storageEnvelope,
  ...storageUploadMetadata,
  ...storageLinks,
  ...storageDelete,
  ...storageCopy,
  ...storageCopyAnswers,
  ...storageCopyPaths,
  ...storageRefusals,
  ...upload,
  ...uploadAnswers,
];
