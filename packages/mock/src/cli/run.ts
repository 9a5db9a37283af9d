import { readFile } from 'node:fs/promises';
import { assertWireProfile, type WireProfile, WireProfileError } from '../contract/wire-profile.ts';
import { serve } from '../serve.ts';
import { describeServiceFault } from '../services/service-fault.ts';
import { findReason } from '../session/logged-json.ts';
import type { LoggedRequest } from '../session/request-log.ts';
import { describeFileError } from '../util/file-error.ts';
import { describeMock } from './describe-mock.ts';
import { type CliOptions, parseOptions } from './parse-options.ts';

/** Runs the command line: serves a mock until SIGINT, SIGTERM or SIGHUP. */
export async function run(argv: string[]): Promise<void> {
  const options = parseOptions(argv);
  try {
    const { wireProfile: file, fault: faults, quiet, ...rest } = options;
    const served = await serve(
      {
        ...rest,
        faults,
        wireProfile: file === undefined ? undefined : await readWireProfile(file),
      },
      quiet ? EVENTS : { ...EVENTS, onCall: printCalls() },
    );
    const stop = () => {
      // The lines of the last calls come first.
      const exit = () => setImmediate(() => process.exit(0));
      void served.close().then(exit);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
    process.stdout.write(`${await describeMock(served)}\n\nready\n`);
  } catch (error) {
    const fault = findStartFault(error as NodeJS.ErrnoException, options);
    if (fault === undefined) throw error;
    process.stderr.write(`${fault}\n`);
    process.exitCode = 2;
  }
}

const EVENTS: Parameters<typeof serve>[1] = {
  onChange: (files) => print(`Reloaded services: ${files.join(', ')}`),
  onFault: (fault) => process.stderr.write(`${describeServiceFault(fault)}\n`),
};

/** Returns a listener that prints each call once, when its response is complete. */
function printCalls(): (call: LoggedRequest) => void {
  const printed = new WeakSet<LoggedRequest>();
  return (call) => {
    if (call.response === undefined || printed.has(call)) return;
    printed.add(call);
    print(describeCall(call));
  };
}

/**
 * Returns the line to print for a completed call. Secrets in targets are already redacted.
 *
 * @example
 * 'POST /api/v2/envs/dev/storages:batchDelete 400 2 ms: body.fileList must be an array.'
 */
function describeCall(call: LoggedRequest): string {
  const { method, target } = call.request;
  const { status, ms } = call.response ?? { status: 0, ms: 0 };
  const reason = findReason(call);
  return `${method} ${target} ${status} ${Math.round(ms)} ms${reason === undefined ? '' : `: ${reason}`}`;
}

let lines = '';

/**
 * Prints a line to stdout. All lines of one turn of the event loop are written together, because each write
 * blocks and takes longer than a call.
 */
function print(line: string): void {
  if (lines === '') setImmediate(writeLines);
  lines += `${line}\n`;
}

function writeLines(): void {
  process.stdout.write(lines);
  lines = '';
}

/** Returns the message for an error that the user can fix; undefined for any other error. */
function findStartFault(
  error: NodeJS.ErrnoException,
  { port, host }: CliOptions,
): string | undefined {
  if (error instanceof WireProfileError) return error.message;
  if (error.name === 'ServicesError') return error.message;
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use: stop the other program, or choose another port with --port.`;
    case 'EACCES':
      return `Port ${port} requires elevated privileges: choose a port above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: choose another one with --host.`;
    default:
      return undefined;
  }
}

/**
 * Reads a wire profile (D1).
 *
 * @throws WireProfileError that names the file
 */
async function readWireProfile(file: string): Promise<WireProfile> {
  try {
    return await assertWireProfile(JSON.parse(await readText(file)));
  } catch (error) {
    throw new WireProfileError(`${file} is not a wire profile: ${(error as Error).message}`);
  }
}

function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`${describeFileError(error)}.`);
  });
}
