import type { Check } from '../check.ts';
import { gwBody } from './gw-body.ts';
import { gwGetJson } from './gw-get-json.ts';
import { gwGetText } from './gw-get-text.ts';
import { gwHeaders } from './gw-headers.ts';
import { gwHopByHop } from './gw-hop-by-hop.ts';
import { gwPostJson } from './gw-post-json.ts';
import { gwPostText } from './gw-post-text.ts';
import { gwStatus } from './gw-status.ts';

export const gatewayAnswers: readonly Check[] = [
  gwGetJson,
  gwGetText,
  gwPostJson,
  gwPostText,
  gwStatus,
  gwHeaders,
  gwHopByHop,
  gwBody,
];
