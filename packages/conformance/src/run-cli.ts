import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { styleText } from 'node:util';
import { PROTOCOL, startFixture } from '@berth/conformance/fixture';
import { Command, CommanderError } from 'commander';
import { catalog, countCases } from './contract/catalog.ts';
import { runConformance } from './create-conformance.ts';
import { OptionError, StartError } from './errors.ts';
import { manifest } from './manifest.ts';
import { type ConformanceOptions, parseOptions, type Settings, toSettings } from './options.ts';
import {
  type CommandOptions,
  describeFileError,
  type Environment,
  listOptions,
  type ReportKind,
  readOptions,
} from './read-options.ts';
import { toPrintable } from './report/overview.ts';
import { toCtrf } from './report/to-ctrf.ts';
import { toHtml } from './report/to-html.ts';
import { toJunit } from './report/to-junit.ts';
import { type Paint, toResultLine, toText } from './report/to-text.ts';
import type { Report } from './report/verdict.ts';
import { Redactor } from './results/redact.ts';

/** Exit code if the run could not start, or is inconclusive. */
const INCONCLUSIVE = 2;

/** Does not name the argument, which may be part of a credential. */
const EXCESS = 'Unknown command, or a value with spaces that is not quoted. Did you mean fixture?';

const HELP_END = `
Each option has an environment variable, such as BERTH_GATEWAY_URL for --gateway-url. Put list values on separate
lines, and set flags to true or false. The command line takes precedence.

Examples:
  berth-conformance --gateway-url https://dev.gateway.example --storage-url https://storage.example
  berth-conformance --only ST-COPY --report html=report.html,junit=junit.xml
  berth-conformance fixture --port 8080 --host 0.0.0.0

Exit codes:
  0  the deployment follows the contract, as far as it was checked
  1  it breaks the contract, or the known failures are outdated
  2  inconclusive: the run could not start, or a check was skipped or ended with an error`;

export const reporters: Record<ReportKind, (report: Report) => string> = {
  html: toHtml,
  junit: toJunit,
  json: toCtrf,
};

export interface Output {
  out(line: string): void;
  error(line: string): void;
  /** Replaces the text that it has shown before. */
  progress(text: string): void;
  paint: Paint;
}

export async function main(): Promise<number> {
  const { stdout, stderr, env, argv } = process;
  // The reader may close the pipe early, as `| head` does; the reports are still written.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => {
    stderr.write(`${describeBug(error as Error)}\n`);
    // Node's own code, 1, would blame the deployment.
    process.exit(2);
  });
  const output = createOutput(process);
  return runCli(argv.slice(2), { output, env, signal: stopOnSignal() });
}

/** On a terminal, progress is shown in the last line, which a notice or an error replaces. */
export function createOutput({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>) {
  const clear = stderr.isTTY ? '\r\x1b[K' : '';
  const output: Output = {
    out: (line) => void stdout.write(`${line}\n`),
    error: (line) => void stderr.write(`${clear}${line}\n`),
    progress: (text) => void (stderr.isTTY && stderr.write(clear + text)),
    paint: (color, text) => styleText(color, text, { stream: stdout }),
  };
  return output;
}

/** Returns a signal that SIGINT or SIGTERM aborts; a second one exits immediately. */
function stopOnSignal(): AbortSignal {
  const controller = new AbortController();
  let since = 0;
  const stop = () => {
    if (!controller.signal.aborted) since = performance.now();
    // Terminals and npm often send one signal twice: to the group and to the process.
    else if (performance.now() - since > 500) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}

/** Returns the exit code. The signal stops the run, or the fixture service. */
export async function runCli(
  args: readonly string[],
  { output, env, signal }: { output: Output; env: Environment; signal: AbortSignal },
): Promise<number> {
  let exitCode = 0;
  const isNpx = env.npm_lifecycle_event === 'npx';
  const program = new Command(isNpx ? 'npx berth-conformance' : 'berth-conformance')
    .description(
      'Check whether a deployment of the gateway and the storage API follows the contract.',
    )
    .usage('--gateway-url <url> --storage-url <url> [options]')
    .version(manifest.version, '-V, --version', 'print the version of the suite')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', HELP_END)
    .configureOutput({ writeOut: (text) => output.out(text.trimEnd()), outputError: () => {} })
    .exitOverride()
    .allowExcessArguments()
    .action(async () => {
      if (program.args.length > 0) throw new OptionError(EXCESS);
      const command = readOptions(env, program.opts());
      if (command.list) listCases(parseOptions(command.options, command.nameOf), output);
      else exitCode = await runSuite(command, output, signal);
    });
  for (const option of listOptions()) program.addOption(option);
  program
    .command('fixture')
    .allowExcessArguments(false)
    .description('start the fixture service for the gateway checks')
    .option('--port <number>', 'port to listen on; 0 picks a free port', '8080')
    .option('--host <address>', 'address to listen on; 0.0.0.0 for all interfaces', '127.0.0.1')
    .action((options) => serveFixture(options, output, signal));
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const isFixture = args[0] === 'fixture';
    const command = isFixture ? `${program.name()} fixture` : program.name();
    const values = isFixture ? args.slice(1) : args;
    output.error(describe(error as Error, values, `See ${command} --help for the options.`));
    return INCONCLUSIVE;
  }
}

function describe(error: Error, values: readonly string[], hint: string): string {
  if (error instanceof OptionError) return `error: ${toPrintable(error.message)}\n${hint}`;
  if (error instanceof StartError) return `error: ${toPrintable(error.message)}`;
  if (!(error instanceof CommanderError)) return describeBug(error);
  // The message may contain a value, which may be a credential.
  const redactor = new Redactor();
  for (const value of values) redactor.add(value.replace(/^--?[^=]*=?/, ''));
  return `${redactor.redact(error.message)}\n${hint}`;
}

/** Describes an error without its message, which may contain a credential. */
function describeBug({ name, stack = '' }: Error): string {
  return [`bug in the suite: ${name}`, ...(stack.match(/^ +at .*$/gm) ?? [])].join('\n');
}

async function runSuite(command: CommandOptions, output: Output, signal: AbortSignal) {
  let [checked, failed] = [0, 0];
  const onCheck: ConformanceOptions['onCheck'] = ({ caseId, sentence = caseId, outcome }) => {
    checked += 1;
    if (outcome === 'fail') failed += 1;
    if (command.verbose) output.out(`checked   ${sentence}`);
    else output.progress(`${checked} checked, ${failed} failed`);
  };
  const onNotice = (text: string) => output.error(text);
  const { options, nameOf, flags } = command;
  const settings = toSettings({ ...options, onCheck, onNotice, signal }, nameOf, flags);
  const stopping = 'Stopping, and removing stored files; interrupt again to exit immediately.';
  const announceStop = () => output.error(stopping);
  signal.addEventListener('abort', announceStop, { once: true });
  const report = await runConformance(settings);
  output.progress('');
  if (command.verbose) {
    for (const result of report.results) output.out(toResultLine(result, output.paint));
  }
  for (const line of toText(report, command, output.paint)) output.out(line);
  let { exitCode } = report;
  for (const { kind, file } of command.report ?? []) {
    const text = reporters[kind](report);
    try {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    } catch (error) {
      const why = describeFileError(error as NodeJS.ErrnoException, 'written');
      output.error(toPrintable(`error: ${nameOf('report')} ${file} ${why}.`));
      if (exitCode !== 1) exitCode = INCONCLUSIVE;
    }
  }
  return exitCode;
}

/** Prints the selected cases, with the sentences of a rule if it has several, and how many of all cases they are. */
function listCases({ selects }: Pick<Settings, 'selects'>, { out }: Output): void {
  const listed = catalog.filter((each) => {
    const { engine, id, level, statement, sentences } = each;
    const all = Object.entries(sentences ?? { [id]: statement });
    const selected = all.filter(([sentence]) => selects(each, sentence));
    if (selected.length === 0) return false;
    out(`${id} (${engine === 'rules' ? level.toUpperCase() : engine})\n  ${statement}`);
    for (const [sentence, text] of selected) if (sentence !== id) out(`  ${sentence}: ${text}`);
    return true;
  });
  out(countCases(listed, catalog));
}

async function serveFixture(
  { port, host }: { port: string; host: string },
  { out }: Output,
  signal: AbortSignal,
): Promise<void> {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) < 65_536;
  if (!isPort) throw new OptionError('--port must be an integer from 0 to 65535.');
  const fixture = await startFixture({ port: Number(port), host }).catch(({ code, message }) => {
    const fix = 'stop the other program, or choose another port with --port';
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is already in use: ${fix}.`);
    throw new StartError(`Cannot start the fixture service: ${message}.`);
  });
  out(`The fixture service (protocol ${PROTOCOL}) is listening on ${fixture.url}`);
  if (!signal.aborted) await once(signal, 'abort');
  await fixture.close();
}
