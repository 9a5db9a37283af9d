import { type Check, defineInvariants } from '../context/check-context.ts';
import { readAll } from '../http/exchange.ts';
import { listDispositionTypes, STREAM } from '../http/media-type.ts';
import {
  type Invariant,
  isHandshake,
  isOfService,
  type ObservedCall,
} from '../invariants/invariant.ts';
import { quoteText } from '../redact.ts';
import { HANDSHAKES, RESPONSES } from './gateway-call-sets.ts';

/** Rule C2: 'Text types are those whose Content-Type indicates …', compared without parameters. */
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/** Which of the rules C1 to C3 applies to a response; `text` if C2 exempts it. */
function ruleOf(call: ObservedCall): 'C1' | 'C2' | 'C3' | 'text' | undefined {
  const { sent, received } = call;
  // The rules do not say whether a handshake that the service rejects is a GET.
  if (!isOfService(call) || isHandshake(call)) return undefined;
  if (received.mediaType === undefined) return undefined;
  if (received.mediaType === STREAM) {
    const accept = readAll(sent.headers, 'accept').join();
    return /text\/event-stream/i.test(accept) ? 'C3' : undefined;
  }
  if (sent.method === 'GET') return 'C1';
  return TEXT_TYPES.includes(received.mediaType) ? 'text' : 'C2';
}

/** Requires one of these of `Content-Disposition` in the responses that a condition selects. */
const requires =
  (
    expected: 'attachment' | 'absent' | 'anything but inline',
    isAbout: (call: ObservedCall) => boolean,
  ): Invariant =>
  (call) => {
    if (!isAbout(call)) return undefined;
    const values = readAll(call.received.headers, 'content-disposition');
    const types = listDispositionTypes(values);
    const holds = {
      attachment: types.includes('attachment'),
      absent: values.length === 0,
      'anything but inline': !types.includes('inline'),
    };
    const actual = values.map(quoteText).join(' and ') || 'none';
    return [[holds[expected], `Content-Disposition must be ${expected}, not ${actual}`]];
  };

export const gatewayDisposition: readonly Check[] = [
  ...defineInvariants([RESPONSES], {
    'GW-C1': requires('attachment', (call) => ruleOf(call) === 'C1'),
    'GW-C2/1': requires('attachment', (call) => ruleOf(call) === 'C2'),
    'GW-C2/2': requires('absent', (call) => ruleOf(call) === 'text'),
    'GW-C3/1': requires('absent', (call) => ruleOf(call) === 'C3'),
    'GW-DISPOSITION-INLINE': requires('anything but inline', (call) =>
      ['C1', 'C2'].includes(ruleOf(call) ?? ''),
    ),
  }),
  ...defineInvariants([HANDSHAKES], {
    'GW-C3/2': requires('absent', ({ received }) => received.status === 101),
  }),
];
