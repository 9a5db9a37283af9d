import type { ConformanceOptions } from '../options.ts';
import { createProgram } from './create-program.ts';
import { parseReport } from './parse-report.ts';
import { parseStorageHeaders } from './parse-storage-headers.ts';

export interface Arguments {
  options: ConformanceOptions;
  /** File of the JSON report, if one is wanted. */
  reportFile: string | undefined;
}

/**
 * Reads the command line. `--help` and `--version` are written with `writeOut`.
 *
 * @throws CommanderError or StartError where the command line is bad, or asked for help
 */
export function parseArguments(args: string[], writeOut: (text: string) => void): Arguments {
  const program = createProgram().configureOutput({ writeOut, writeErr: () => {} });
  const { storageHeader, timeout, report, ...rest } = program.parse(args, { from: 'user' }).opts();
  return {
    options: {
      ...(rest as ConformanceOptions),
      timeout: Number(timeout),
      storageHeaders: parseStorageHeaders(storageHeader),
    },
    reportFile: parseReport(report),
  };
}
