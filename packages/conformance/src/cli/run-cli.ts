import { writeFile } from 'node:fs/promises';
import { CommanderError } from 'commander';
import { createConformance } from '../create-conformance.ts';
import { createRedactor, listSecrets } from '../report/redact.ts';
import { toLines } from '../report/to-lines.ts';
import { toSummary } from '../report/to-summary.ts';
import { StartError } from '../start-error.ts';
import { type Arguments, parseArguments } from './parse-arguments.ts';
import { toMessage } from './to-message.ts';

export interface Output {
  out(line: string): void;
  error(line: string): void;
}

/** Exit code of a run that could not start. */
const NOT_STARTED = 2;
/** Exit code of a fault of the suite itself. */
const ERROR = 4;

/** Runs the command line and returns its exit code; it writes only through `output`. */
export async function runCli(args: string[], output: Output): Promise<number> {
  const fail = (message: string) => output.error(`berth-conformance: ${message}`);
  let parsed: Arguments;
  try {
    parsed = parseArguments(args, (text) => output.out(text.trimEnd()));
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      fail(toMessage(error));
    } else fail((error as Error).message);
    return NOT_STARTED;
  }
  try {
    return await check(parsed, output);
  } catch (error) {
    const { gatewayToken, storageHeaders = {} } = parsed.options;
    const redact = createRedactor(listSecrets({ gatewayToken, storageHeaders }));
    fail(redact((error as Error).message));
    return error instanceof StartError ? NOT_STARTED : ERROR;
  }
}

async function check({ options, reportFile }: Arguments, { out }: Output): Promise<number> {
  const conformance = createConformance({
    ...options,
    onResult: (result) => {
      for (const line of toLines(result)) out(line);
    },
  });
  const report = await conformance.run();
  if (reportFile !== undefined) await writeReport(reportFile, report);
  out(toSummary(report));
  return report.exitCode;
}

async function writeReport(file: string, report: object): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    throw new StartError(`The report cannot be written: ${(error as Error).message}.`);
  }
}
