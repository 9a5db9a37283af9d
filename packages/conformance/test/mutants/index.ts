import { auth } from './auth.ts';
import { authSignature } from './auth-signature.ts';
import { authStorage } from './auth-storage.ts';
import { gatewayAddress } from './gateway-address.ts';
import { gatewayRequests } from './gateway-requests.ts';
import { gatewayResponses } from './gateway-responses.ts';
import { gatewaySockets } from './gateway-sockets.ts';
import { gatewayStreams } from './gateway-streams.ts';
import { type Mutant, toMutants } from './mutant.ts';
import { storageCopy } from './storage-copy.ts';
import { storageLinks } from './storage-links.ts';
import { storageRequests } from './storage-requests.ts';
import { storageResponses } from './storage-responses.ts';
import { storageSequences } from './storage-sequences.ts';
import { upload } from './upload.ts';

/** The faults, by topic. Most were written from the rules alone, without reading the checks. */
export const mutants: readonly Mutant[] = [
  gatewayAddress,
  gatewayRequests,
  gatewayResponses,
  gatewayStreams,
  auth,
  authSignature,
  authStorage,
  gatewaySockets,
  storageRequests,
  storageResponses,
  storageLinks,
  storageCopy,
  upload,
  storageSequences,
].flatMap(toMutants);
