import { joinSockets } from '../../http/join-sockets.ts';
import type { RouteContext } from '../answers/route-context.ts';
import type { Opened } from '../web-socket/prepare-web-socket.ts';
import { awaitAnswer } from './await-answer.ts';
import { toAnswer } from './to-answer.ts';
import { toRequest } from './to-request.ts';

const PROTOCOL = 'websocket';
const UPGRADE = { connection: 'Upgrade', upgrade: PROTOCOL };

/**
 * Opens a WebSocket to a real service: frames pass as bytes, both ways. What the service answers instead
 * is its refusal.
 */
export async function openProxy(base: URL, context: RouteContext): Promise<Opened> {
  const { call, openEnds } = context;
  const request = toRequest(base, context, UPGRADE);
  request.once(
    'close',
    openEnds.add(() => request.destroy()),
  );
  const received = awaitAnswer(request, base, call.signal, PROTOCOL);
  request.end();
  const { answer, upgraded } = await received;
  if (upgraded === undefined) return toAnswer(answer);
  const { socket: service, head } = upgraded;
  // Where the caller goes away before the 101 is written, nobody takes the connection over.
  const leave = () => service.destroy();
  call.response.once('close', leave);
  return {
    status: 101,
    headers: answer.headersDistinct,
    open(caller, sent) {
      call.response.off('close', leave);
      service.once(
        'close',
        openEnds.add(() => service.destroy()),
      );
      if (head.length > 0) service.unshift(head);
      if (sent.length > 0) caller.unshift(sent);
      joinSockets(caller, service);
    },
  };
}
