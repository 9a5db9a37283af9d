import { type Served, serve } from '../serve.ts';
import type { ServicesEvents } from '../services/create-services.ts';
import { describeServiceFault } from '../services/loading/service-fault.ts';
import { describeMock } from './describe-mock.ts';
import { describeVerdict, summarize } from './describe-violations.ts';
import { findStartFault } from './find-start-fault.ts';
import { type CliOptions, parseOptions } from './parse-options.ts';
import { readWireProfile } from './read-wire-profile.ts';
import { toProxyOption } from './to-proxy-option.ts';
import { watchFile } from './watch-file.ts';

/** Serves a mock until SIGINT or SIGTERM, or waits for one. */
export async function run(argv: string[]): Promise<void> {
  const options = parseOptions(argv);
  if (options.wait !== undefined) await waitFor(options.wait, options.timeout);
  else await serveUntilSignal(options);
}

/** What is told while the mock serves. */
const EVENTS: ServicesEvents = {
  onChange: (files) => process.stdout.write(`Services taken over: ${files.join(', ')}\n`),
  onFault: (fault) => process.stderr.write(`${describeServiceFault(fault)}\n`),
};

async function serveUntilSignal(options: CliOptions): Promise<void> {
  try {
    const { wireProfile: file, fault: faults, ...rest } = options;
    const served = await serve(
      {
        ...rest,
        faults,
        proxy: toProxyOption(options),
        wireProfile: file === undefined ? undefined : await readWireProfile(file),
      },
      EVENTS,
    );
    const watches = watchFiles(options, served);
    const stop = () => {
      for (const watch of watches) watch.close();
      void served.close().then(() => process.exit(endProxy(options, served)));
    };
    served.verdicts.listen((verdict) => {
      process.stdout.write(`${describeVerdict(verdict)}\n`);
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    process.stdout.write(`${await describeMock(served, options.ignored)}\n\nready\n`);
  } catch (error) {
    const fault = findStartFault(error as NodeJS.ErrnoException, options);
    if (fault === undefined) throw error;
    process.stderr.write(`${fault}\n`);
    process.exitCode = 2;
  }
}

/** Says what was found of the calls that have passed, and gives the exit code. */
function endProxy({ failOnViolations }: CliOptions, { context, verdicts }: Served): number {
  if (context.options.proxy === undefined) return 0;
  process.stdout.write(`${summarize(verdicts)}\n`);
  return failOnViolations && verdicts.badRequests + verdicts.badAnswers > 0 ? 1 : 0;
}

/** Takes over files that change; a broken one is told, and the last good one stays in use. */
function watchFiles({ wireProfile, contract = [] }: CliOptions, { reload }: Served) {
  // One after the other, so that the last change is the one in use.
  let reloaded = Promise.resolve();
  const watch = (file: string, take: () => Promise<void>) =>
    watchFile(file, () => {
      reloaded = reloaded.then(take).then(
        () => tell(process.stdout, `${file} has changed and is in use.`),
        ({ message }: Error) => tell(process.stderr, `${message} The last good one stays in use.`),
      );
    });
  const takeContract = async () => {
    const { loadContract } = await import('../contract/load-contract.ts');
    await reload({ contract: await loadContract(contract) });
  };
  const watches = contract.map((file) => watch(file, takeContract));
  if (wireProfile === undefined) return watches;
  const takeProfile = async () => reload({ profile: await readWireProfile(wireProfile) });
  return [...watches, watch(wireProfile, takeProfile)];
}

function tell(stream: NodeJS.WriteStream, line: string): void {
  stream.write(`${line}\n`);
}

async function waitFor(url: string, seconds: number): Promise<void> {
  const { waitForMock } = await import('../http/wait-for-mock.ts');
  if (await waitForMock(url, seconds)) {
    process.stdout.write(`The mock at ${url} is ready.\n`);
    return;
  }
  process.stderr.write(`No mock answered at ${url} within ${seconds} s.\n`);
  process.exitCode = 1;
}
