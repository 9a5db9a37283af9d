import { once } from 'node:events';
import { startFixture } from '@berth/conformance/fixture';
import { StartError } from '../start-error.ts';
import type { Typed } from './create-program.ts';
import type { Output } from './output.ts';

/**
 * Serves the fixture service until the signal ends it.
 *
 * @throws StartError where the options are bad, or it cannot listen
 */
export async function serveFixture(
  { port, host }: Typed['options'],
  { out }: Output,
  signal: AbortSignal,
): Promise<void> {
  const isPort = /^\d{1,5}$/.test(String(port)) && Number(port) < 65_536;
  if (!isPort) throw new StartError('--port must be a whole number from 0 to 65535.');
  const fixture = await startFixture({ port: Number(port), host: String(host) }).catch((error) => {
    throw new StartError(`The fixture service cannot listen: ${toReason(error, port, host)}.`);
  });
  out(`The fixture service of the conformance suite (protocol 1) listens on ${fixture.url}`);
  if (!signal.aborted) await once(signal, 'abort');
  await fixture.close();
}

function toReason({ code, message }: NodeJS.ErrnoException, port: unknown, host: unknown): string {
  if (code === 'EADDRINUSE') return `port ${port} is in use, choose another one with --port`;
  if (code === 'EADDRNOTAVAIL') return `${host} is no address of this machine, see --host`;
  return message;
}
