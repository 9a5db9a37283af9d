import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Waits until a port of the loopback is listened to, for at most `seconds`. */
export async function waitForPort(port: number, seconds = 20): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await setTimeout(20);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`Nobody listens to port ${port} after ${seconds} s.`);
}
