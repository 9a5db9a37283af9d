import type { Mutant } from '../mutant.ts';
import { gwBody } from './gw-body.ts';
import { gwBodyError } from './gw-body-error.ts';
import { gwBodyGzip } from './gw-body-gzip.ts';
import { gwBodyLong } from './gw-body-long.ts';
import { gwGetJson } from './gw-get-json.ts';
import { gwGetText } from './gw-get-text.ts';
import { gwHeaders } from './gw-headers.ts';
import { gwHeadersNotModified } from './gw-headers-not-modified.ts';
import { gwHeadersSocket } from './gw-headers-socket.ts';
import { gwHeadersUnderscore } from './gw-headers-underscore.ts';
import { gwHopByHop } from './gw-hop-by-hop.ts';
import { gwHopByHopProxy } from './gw-hop-by-hop-proxy.ts';
import { gwPostJson } from './gw-post-json.ts';
import { gwPostText } from './gw-post-text.ts';
import { gwStatus } from './gw-status.ts';
import { gwStatusRedirect } from './gw-status-redirect.ts';
import { gwStatusTimeout } from './gw-status-timeout.ts';

export const gatewayAnswers: readonly Mutant[] = [
  gwGetJson,
  gwGetText,
  gwPostJson,
  gwPostText,
  gwStatus,
  gwStatusTimeout,
  gwStatusRedirect,
  gwHeaders,
  gwHeadersUnderscore,
  gwHeadersNotModified,
  gwHeadersSocket,
  gwHopByHop,
  gwHopByHopProxy,
  gwBody,
  gwBodyLong,
  gwBodyGzip,
  gwBodyError,
];
