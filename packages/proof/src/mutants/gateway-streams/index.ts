import type { Mutant } from '../mutant.ts';
import { gwSse } from './gw-sse.ts';
import { gwSseUnbuffered } from './gw-sse-unbuffered.ts';
import { gwWsAuth } from './gw-ws-auth.ts';
import { gwWsAuthBody } from './gw-ws-auth-body.ts';
import { gwWsBinary } from './gw-ws-binary.ts';
import { gwWsBinaryEmpty } from './gw-ws-binary-empty.ts';
import { gwWsClose } from './gw-ws-close.ts';
import { gwWsCloseCaller } from './gw-ws-close-caller.ts';
import { gwWsSubprotocol } from './gw-ws-subprotocol.ts';
import { gwWsSubprotocolAnswer } from './gw-ws-subprotocol-answer.ts';
import { gwWsText } from './gw-ws-text.ts';
import { gwWsTextOrder } from './gw-ws-text-order.ts';
import { gwWsUpgrade } from './gw-ws-upgrade.ts';

export const gatewayStreams: readonly Mutant[] = [
  gwSse,
  gwSseUnbuffered,
  gwWsUpgrade,
  gwWsText,
  gwWsTextOrder,
  gwWsBinary,
  gwWsBinaryEmpty,
  gwWsSubprotocol,
  gwWsSubprotocolAnswer,
  gwWsClose,
  gwWsCloseCaller,
  gwWsAuth,
  gwWsAuthBody,
];
