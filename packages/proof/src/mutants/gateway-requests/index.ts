import type { Mutant } from '../mutant.ts';
import { gwForwardBody } from './gw-forward-body.ts';
import { gwForwardBodyLong } from './gw-forward-body-long.ts';
import { gwForwardHeaders } from './gw-forward-headers.ts';
import { gwForwardHeadersRepeated } from './gw-forward-headers-repeated.ts';
import { gwForwardHeadersSocket } from './gw-forward-headers-socket.ts';
import { gwForwardHeadersType } from './gw-forward-headers-type.ts';
import { gwForwardMethod } from './gw-forward-method.ts';

export const gatewayRequests: readonly Mutant[] = [
  gwForwardMethod,
  gwForwardHeaders,
  gwForwardHeadersType,
  gwForwardHeadersRepeated,
  gwForwardHeadersSocket,
  gwForwardBody,
  gwForwardBodyLong,
];
