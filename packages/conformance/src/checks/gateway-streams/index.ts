import type { Check } from '../check.ts';
import { gwSse } from './gw-sse.ts';
import { gwSseUnbuffered } from './gw-sse-unbuffered.ts';
import { gwWsAuth } from './gw-ws-auth.ts';
import { gwWsBinary } from './gw-ws-binary.ts';
import { gwWsClose } from './gw-ws-close.ts';
import { gwWsSubprotocol } from './gw-ws-subprotocol.ts';
import { gwWsText } from './gw-ws-text.ts';
import { gwWsUpgrade } from './gw-ws-upgrade.ts';

export const gatewayStreams: readonly Check[] = [
  gwSse,
  gwSseUnbuffered,
  gwWsUpgrade,
  gwWsText,
  gwWsBinary,
  gwWsSubprotocol,
  gwWsClose,
  gwWsAuth,
];
