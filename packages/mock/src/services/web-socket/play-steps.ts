import { setImmediate as turn } from 'node:timers/promises';
import { wait } from '../answers/wait.ts';
import type { FakeSocket, WebSocketStep } from '../fake-service.ts';
import { fitsMessage } from './fits-message.ts';

/** RFC 6455, section 7.4.1: the message "violates [the endpoint's] policy". */
const POLICY_VIOLATION = 1008;
/** RFC 6455, section 5.5: a control frame holds 125 bytes, two of which are the code. */
const MAX_REASON_BYTES = 123;

/**
 * Plays a script.
 *
 * @param signal aborted when the caller is gone
 */
export async function playSteps(
  socket: FakeSocket,
  steps: readonly WebSocketStep[],
  signal: AbortSignal,
): Promise<void> {
  for (const step of steps) {
    if ('delay' in step) await wait(step.delay, signal);
    if ('send' in step) await socket.send(toText(step.send));
    else if ('sendBase64' in step) await socket.send(Buffer.from(step.sendBase64, 'base64'));
    else if ('echo' in step) for await (const message of socket) await socket.send(message);
    else if ('close' in step) return socket.close(step.close, step.reason);
    else if ('cut' in step) return socket.cut();
    else if (!(await isExpected(socket, step.expect))) return;
  }
}

/** Plays a script again and again. */
export async function repeatSteps(
  socket: FakeSocket,
  steps: readonly WebSocketStep[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await playSteps(socket, steps, signal);
    // A script that never waits must not keep everybody else waiting.
    await turn();
  }
}

async function isExpected(socket: FakeSocket, expected: unknown): Promise<boolean> {
  const message = await socket.receive();
  if (message === undefined) return false;
  if (fitsMessage(message, expected)) return true;
  const reason = Buffer.from(`This script expects ${toText(expected)}`);
  socket.close(POLICY_VIOLATION, cutText(reason, MAX_REASON_BYTES));
  return false;
}

function cutText(bytes: Buffer, most: number): string {
  // A character that is cut in two would be no UTF-8.
  return new TextDecoder().decode(bytes.subarray(0, most)).replace(/\uFFFD+$/, '');
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
