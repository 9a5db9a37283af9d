import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Check } from '../run/check.ts';
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

const byTopic: readonly Check[] = [
  ...gatewayAddress,
  ...gatewayRequests,
  ...gatewayResponses,
  ...gatewayStreams,
  ...gatewaySockets,
  ...auth,
  ...authSignature,
  ...authStorage,
  ...storageRequests,
  ...storageResponses,
  ...storageLinks,
  ...storageCopy,
  ...storageSequences,
  ...upload,
];

/** The checks that wait for seconds, so they start before others. */
const SLOW: readonly SentenceId[] = [
  'GW-SSE-UNBUFFERED',
  'GW-WS-MESSAGES/1',
  'ST-LINKS-EXPIRE',
  'ST-SEQUENCE',
];

const isSlow = ({ sentence }: Check) => SLOW.includes(sentence);

/** All checks, in the order in which they start. */
export const checks = byTopic.toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
