import type { LoggedRequest } from '../requests/request-log.ts';
import { toLoggedJson } from '../requests/to-logged-json.ts';
import { ANSWERED, type ControlCall } from './endpoint.ts';

/** A reader that is so far behind is cut off; it comes again and says which call it saw last. */
const MOST_BUFFERED = 8 * 1024 * 1024;
const HEARTBEAT_MILLISECONDS = 15_000;

/**
 * Sends each call as it comes or changes, as server-sent events: the id is that of the call. Who comes
 * again with `Last-Event-ID` gets what came since.
 */
export function streamRequests({ context, session, request, response }: ControlCall) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(':\n\n');
  const send = (logged: LoggedRequest) => {
    response.write(`id: ${logged.id}\ndata: ${JSON.stringify(toLoggedJson(logged))}\n\n`);
    if (response.writableLength > MOST_BUFFERED) response.destroy();
  };
  const { requests } = context.sessions.get(session.id);
  const last = request.headers['last-event-id'];
  if (last !== undefined) {
    const known = requests.list();
    // Of a call that is no longer in the log, all that are there came later.
    for (const logged of known.slice(known.findIndex(({ id }) => id === last) + 1)) send(logged);
  }
  const stop = requests.listen(send);
  const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MILLISECONDS).unref();
  response.once('close', () => {
    stop();
    clearInterval(heartbeat);
  });
  return ANSWERED;
}
