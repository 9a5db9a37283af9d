import type { Check } from '../check.ts';
import { gwC1 } from './gw-c1.ts';
import { gwC2 } from './gw-c2.ts';
import { gwC2NotText } from './gw-c2-not-text.ts';
import { gwC2Parameters } from './gw-c2-parameters.ts';
import { gwC2Text } from './gw-c2-text.ts';
import { gwC3 } from './gw-c3.ts';
import { gwC3Websocket } from './gw-c3-websocket.ts';
import { gwDispositionInline } from './gw-disposition-inline.ts';

export const gatewayDisposition: readonly Check[] = [
  gwC1,
  gwC2,
  gwC2Text,
  gwC2Parameters,
  gwC2NotText,
  gwC3,
  gwC3Websocket,
  gwDispositionInline,
];
