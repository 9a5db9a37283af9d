import type { Message } from '../../http/open-web-socket.ts';
import type { Trial } from '../../trial/trial.ts';

/** The messages must be these, in this order and of this kind. */
export function expectMessages(
  t: Trial,
  what: string,
  came: readonly Message[],
  wanted: readonly (string | Buffer)[],
): void {
  const kind = typeof wanted[0] === 'string' ? 'text' : 'binary';
  t.expect(
    came.length === wanted.length,
    `${what}: ${wanted.length} messages must come, not ${came.length}`,
  );
  for (const [index, { binary, data }] of came.entries()) {
    const sent = Buffer.from(wanted[index] ?? '');
    const place = `${what}: message ${index + 1} of ${sent.length} bytes`;
    t.expect(binary === (kind === 'binary'), `${place} must come as ${kind}`);
    t.expect(data.equals(sent), `${place} must come unchanged, not as ${show(data)}`);
  }
}

function show(data: Buffer): string {
  return `${data.length} bytes, ${JSON.stringify(data.subarray(0, 40).toString('latin1'))}`;
}
