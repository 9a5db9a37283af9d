import { NetworkFault } from '../../http/network-fault.ts';
import type { Message, Socket } from '../../http/open-web-socket.ts';
import type { Trial } from '../../trial/trial.ts';

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

/** The next message; `undefined` where none comes in time. */
async function receive(t: Trial, socket: Socket): Promise<Message | undefined> {
  try {
    return await socket.next();
  } catch (error) {
    // The connection was opened and lives: that nothing comes is the answer.
    if (error instanceof NetworkFault && !t.signal.aborted) return undefined;
    throw error;
  }
}
