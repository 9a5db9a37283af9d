import type { Mutant } from '../mutant.ts';
import { gwC1 } from './gw-c1.ts';
import { gwC1Error } from './gw-c1-error.ts';
import { gwC2 } from './gw-c2.ts';
import { gwC2NotText } from './gw-c2-not-text.ts';
import { gwC2NotTextHtml } from './gw-c2-not-text-html.ts';
import { gwC2NotTextPrefix } from './gw-c2-not-text-prefix.ts';
import { gwC2Parameters } from './gw-c2-parameters.ts';
import { gwC2ParametersOther } from './gw-c2-parameters-other.ts';
import { gwC2Status } from './gw-c2-status.ts';
import { gwC2Text } from './gw-c2-text.ts';
import { gwC2TextOwn } from './gw-c2-text-own.ts';
import { gwC3 } from './gw-c3.ts';
import { gwC3Parameters } from './gw-c3-parameters.ts';
import { gwC3Websocket } from './gw-c3-websocket.ts';
import { gwC3WebsocketOwn } from './gw-c3-websocket-own.ts';
import { gwDispositionInline } from './gw-disposition-inline.ts';
import { gwDispositionInlinePage } from './gw-disposition-inline-page.ts';

export const gatewayDisposition: readonly Mutant[] = [
  gwC1,
  gwC1Error,
  gwC2,
  gwC2Status,
  gwC2Text,
  gwC2TextOwn,
  gwC2Parameters,
  gwC2ParametersOther,
  gwC2NotText,
  gwC2NotTextHtml,
  gwC2NotTextPrefix,
  gwC3,
  gwC3Parameters,
  gwC3Websocket,
  gwC3WebsocketOwn,
  gwDispositionInline,
  gwDispositionInlinePage,
];
