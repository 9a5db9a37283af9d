import { serve } from '../serve.ts';
import { describeMock } from './describe-mock.ts';
import { findStartFault } from './find-start-fault.ts';
import { parseOptions } from './parse-options.ts';
import { readWireProfile } from './read-wire-profile.ts';

/** Serves a mock until SIGINT or SIGTERM. */
export async function run(argv: string[]): Promise<void> {
  const options = parseOptions(argv);
  try {
    const { wireProfile: file, ...rest } = options;
    const served = await serve({
      ...rest,
      wireProfile: file === undefined ? undefined : await readWireProfile(file),
    });
    const stop = () => void served.close().then(() => process.exit(0));
    process.once('SIGINT', stop).once('SIGTERM', stop);
    process.stdout.write(`${describeMock(served)}\n\nready\n`);
    // Prism loads while the user reads, and not before the first answer.
    await served.context.oracle();
  } catch (error) {
    const fault = findStartFault(error as NodeJS.ErrnoException, options);
    if (fault === undefined) throw error;
    process.stderr.write(`${fault}\n`);
    process.exitCode = 2;
  }
}
