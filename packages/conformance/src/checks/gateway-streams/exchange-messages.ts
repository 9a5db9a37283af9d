import { NetworkFault } from '../../http/network-fault.ts';
import type { Message, Socket } from '../../http/open-web-socket.ts';
import type { Trial } from '../../trial/trial.ts';

/** How a socket ends that nobody has closed (RFC 6455, section 7.1.5). */
const CUT = 1006;

/**
 * Sends messages to the fixture service, which sends them back, and returns what came. A last message of
 * its own tells when all are there, so that one that is lost costs no wait.
 */
export async function exchangeMessages(
  t: Trial,
  socket: Socket,
  messages: readonly (string | Uint8Array)[],
): Promise<Message[]> {
  const last = t.uniqueName();
  for (const message of [...messages, last]) socket.send(message);
  const came: Message[] = [];
  for (;;) {
    const message = await receive(t, socket);
    if (message === undefined || message.data.toString() === last) return came;
    came.push(message);
  }
}

/** The next message; `undefined` where none comes in time, or the socket was closed. */
async function receive(t: Trial, socket: Socket): Promise<Message | undefined> {
  try {
    return await socket.next();
  } catch (error) {
    if (!(error instanceof NetworkFault) || t.signal.aborted) throw error;
    socket.close();
    const end = await socket.closed().catch(() => undefined);
    // A connection that was cut is nobody's; on one that lives, that nothing comes is the answer.
    if (end?.code === CUT) throw error;
    return undefined;
  }
}
