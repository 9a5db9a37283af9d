import { constants } from 'node:fs';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createConformance } from '../create-conformance.ts';
import { createRedactor, listSecrets } from '../credentials/redact.ts';
import { toSettings } from '../options.ts';
import { toPrintable } from '../report/evidence.ts';
import { reporters } from '../report/reporters.ts';
import { type Paint, toResultLine, toText } from '../report/to-text.ts';
import { StartError } from '../result.ts';

import { type CommandOptions, toOptions } from './to-options.ts';

/** The streams that the command writes to. */
export interface Output {
  out(line: string): void;
  error(line: string): void;
  /** Replaces the last text that this has shown. */
  progress(text: string): void;
  paint: Paint;
}

/**
 * Checks a deployment, prints what was found, and writes the reports.
 *
 * @returns the exit code
 * @throws StartError if the run cannot start
 */
export async function check(
  command: CommandOptions,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const options = toOptions(command);
  const files = (command.report ?? []).map(parseReport);
  let [checked, failed] = [0, 0];
  const conformance = createConformance({
    ...options,
    onResult: (result) => {
      checked += 1;
      if (result.outcome === 'fail') failed += 1;
      if (command.verbose) output.out(toResultLine(result, output.paint));
      else output.progress(`${checked} checked, ${failed} failed`);
    },
    onNotice: (text) => output.error(text),
    signal,
  });
  for (const { file } of files) await onFile(file, () => makeFolder(file));
  const sayEnding = () =>
    output.error('Stopping, and removing stored files; interrupt again to exit immediately.');
  signal.addEventListener('abort', sayEnding, { once: true });
  const report = await conformance.run().catch((error: Error) => {
    if (!(error instanceof StartError)) throw error;
    // It quotes what the target responded, which may be a credential.
    const redact = createRedactor(listSecrets(toSettings(options)));
    throw new StartError(toPrintable(redact(error.message)), error.option);
  });
  signal.removeEventListener('abort', sayEnding);
  output.progress('');
  for (const line of toText(report, command, output.paint)) output.out(line);
  for (const { kind, file } of files) {
    await onFile(file, () => writeFile(file, reporters[kind](report)));
  }
  return report.exitCode;
}

type Kind = keyof typeof reporters;

function parseReport(value: string): { kind: Kind; file: string } {
  const [, kind = '', file = ''] = /^([a-z]+)=(.+)$/s.exec(value) ?? [];
  if (Object.hasOwn(reporters, kind)) return { kind: kind as Kind, file };
  const kinds = Object.keys(reporters).map((name) => `${name}=FILE`);
  throw new StartError(`--report must be ${kinds.join(', ')}.`);
}

async function makeFolder(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await access(dirname(file), constants.W_OK);
}

async function onFile(file: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`--report: ${file} cannot be written (${code}).`);
  }
}
