import { createHash } from 'node:crypto';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import addCompletion from '@bomb.sh/tab/commander';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Problem, RefusedError } from '../document.ts';
import { readManifest, withFolderError, writeMarked } from '../files.ts';
import { type Generated, type GenerateOptions, generate } from '../generate.ts';
import { type Locator, loadDocument, UnreadableError } from '../load-document.ts';
import type { Fingerprints } from '../modules/write-fingerprints.ts';
import {
  compare,
  describeChanges,
  describeHandlers,
  findHandlers,
  writeHandlers,
} from './handlers.ts';

/** Print progress for documents with at least this many operations. */
const LARGE = 200;

/** How long to wait after a change, because editors write a file in several steps. */
const SETTLE_MILLISECONDS = 50;

/** Matches the files that a document may consist of, except for generated ones. */
const SOURCE = /(?<!\.gen)\.(?:ya?ml|json)$/;

const EPILOGUE = `
Exit codes: 0 success; 1 the files could not be written; 2 the command line or the document is invalid,
and nothing was written.`;

export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Runs `berth-stubs`, and returns the exit code. */
export async function runCli(argv: readonly string[], output: Output): Promise<number> {
  const program = createProgram(output);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const isOurs = error instanceof RefusedError || error instanceof UnreadableError;
    output.error(`${toMessage(error)}\n`);
    return isOurs ? 2 : 1;
  }
}

function createProgram(output: Output): Command {
  const program = new Command('berth-stubs')
    .description(
      'Generate typed handlers, routes and compiled validators from an OpenAPI document (3.0 to 3.2, or Swagger 2.0).',
    )
    .version(readManifest().version)
    .showHelpAfterError('See berth-stubs --help for the options.')
    .argument('<openapi>', 'the document, a JSON or YAML file', parsePath)
    .requiredOption('-o, --output <dir>', 'folder for the generated files; required', parsePath)
    .option(
      '--handlers <dir>',
      'folder with one handler file per operationId; missing files are created, existing files are never changed, and files to review or remove are reported',
      parsePath,
    )
    .option('-w, --watch', 'generate again whenever the document changes, until interrupted')
    .option(
      '--base-path <path>',
      'path prefix for all routes, instead of the path of the first server',
    )
    .option(
      '--runtime <specifier>',
      'module that the generated code imports the runtime from',
      parseSpecifier,
    )
    .addOption(
      new Option('--import-extension <ending>', 'file extension in imports between generated files')
        .choices(['ts', 'js'])
        .default('ts'),
    )
    .option('--strict', 'treat warnings about omitted or unchecked parts of the document as errors')
    .option('-q, --quiet', 'print errors only')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.error })
    .action((file: string, settings: GenerateSettings) => {
      const generateNow = () => generateInto(file, settings, output);
      if (!settings.watch) return generateNow();
      // If the document is invalid, the generated files stay unchanged.
      return watchDocument(file, () =>
        generateNow().catch((error) => output.error(`${toMessage(error)}\n`)),
      );
    });
  // Shells may complete file names, which the library turns off with each completion.
  Object.defineProperty(addCompletion(program), 'directive', { get: () => 0, set: () => {} });
  return program;
}

function toMessage(error: unknown): string {
  if (error instanceof RefusedError) {
    const count = error.problems.length;
    return `${error.message}\n${count} ${count === 1 ? 'part' : 'parts'} of the document cannot be used, so nothing was written.`;
  }
  return error instanceof Error ? error.message : String(error);
}

interface GenerateSettings {
  readonly output: string;
  readonly handlers?: string;
  readonly basePath?: string;
  readonly runtime?: string;
  readonly importExtension?: 'ts' | 'js';
  readonly strict?: boolean;
  readonly quiet?: boolean;
  readonly watch?: boolean;
}

/**
 * Calls a function immediately, and after each change to the document or to any other YAML or JSON file in
 * its folder. Calls never overlap.
 */
async function watchDocument(file: string, onChange: () => Promise<void>): Promise<never> {
  let isChanged = true;
  let wake = () => {};
  let fail = (_error: Error) => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const watcher = watch(dirname(resolve(file)), (_, name) => {
    if (name !== null && name !== basename(file) && !SOURCE.test(name)) return;
    isChanged = true;
    wake();
  });
  watcher.on('error', (error) => fail(error));
  for (;;) {
    const changed = new Promise<void>((done) => {
      wake = done;
    });
    if (!isChanged) await Promise.race([changed, failed]);
    await wait(SETTLE_MILLISECONDS);
    isChanged = false;
    await onChange();
  }
}

async function generateInto(
  file: string,
  settings: GenerateSettings,
  { out }: Output,
): Promise<void> {
  const print = (line: string) => settings.quiet || out(`${line}\n`);
  const started = performance.now();
  const { document, bytes, locate, ...loaded } = await loadDocument(file);
  let isLarge = false;
  const generated = generateLocated(document, locate, {
    ...settings,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    onProgress: (step) => {
      isLarge ||= Number.parseInt(step, 10) >= LARGE;
      if (isLarge) print(`${step} …`);
    },
  });
  const warnings = [...loaded.warnings, ...generated.warnings];
  if (settings.strict && warnings.length > 0) throw toLocated(warnings, locate);
  for (const line of describeProblems('warning', warnings, locate)) print(line);
  for (const line of describeProblems('note', generated.notes, locate)) print(line);

  const before = await readFingerprints(settings.output);
  const mark = `Generated by berth-stubs. Repair: ${toRepairCommand(file, settings)}`;
  const after = generated.files.get('fingerprints.gen.json') as Fingerprints;
  const changes = compare(before, after);
  const handlers = settings.handlers ? await findHandlers(settings.handlers) : undefined;
  for (const [name, content] of generated.files) {
    await writeMarked(join(settings.output, name), content, mark).catch(
      withFolderError(settings.output, 'choose another --output folder'),
    );
  }
  for (const line of describeChanges(changes)) print(line);
  if (settings.handlers !== undefined && handlers !== undefined) {
    for (const line of describeHandlers(handlers, changes, after)) print(line);
    const lines = await writeHandlers(generated, handlers, settings.handlers, settings);
    for (const line of lines) print(line);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(
    `Generated ${generated.operations.length} operations into ${settings.output} in ${seconds} s.`,
  );
}

function generateLocated(document: unknown, locate: Locator, options: GenerateOptions): Generated {
  try {
    return generate(document, options);
  } catch (error) {
    throw error instanceof RefusedError ? toLocated(error.problems, locate) : error;
  }
}

function toLocated(problems: readonly Problem[], locate: Locator): RefusedError {
  const located = problems.map(({ pointer, message }) => ({
    pointer: `${locate(pointer)} ${pointer}`,
    message,
  }));
  return new RefusedError(located);
}

/** Each message once, with all its places. */
function describeProblems(
  kind: 'warning' | 'note',
  problems: readonly Problem[],
  locate: Locator,
): string[] {
  const places = new Map<string, string[]>();
  for (const { message, pointer } of problems) {
    const known = places.get(message) ?? [];
    places.set(message, known);
    known.push(kind === 'warning' ? `  ${locate(pointer)} ${pointer}` : `  ${pointer}`);
  }
  return [...places].flatMap(([message, each]) => [`${kind}: ${message}`, ...each]);
}

async function readFingerprints(folder: string): Promise<Fingerprints | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'fingerprints.gen.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Paths are relative, so that the command works on every machine. */
function toRepairCommand(file: string, settings: GenerateSettings): string {
  const { output, handlers, basePath, runtime, importExtension, strict } = settings;
  const options = [
    ['-o', toRelative(output)],
    ['--handlers', handlers && toRelative(handlers)],
    ['--base-path', basePath],
    ['--runtime', runtime],
    ['--import-extension', importExtension === 'ts' ? undefined : importExtension],
  ] as const;
  const words = options.flatMap(([name, value]) =>
    value === undefined ? [] : [name, quote(value)],
  );
  const flags = strict ? ['--strict'] : [];
  return ['npx berth-stubs', quote(toRelative(file)), ...words, ...flags].join(' ');
}

function toRelative(path: string): string {
  return (relative(process.cwd(), path) || '.').replaceAll('\\', '/');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** An empty path usually comes from an unset shell variable. */
function parsePath(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('Expected a path, got an empty string.');
}

/** The specifier ends up in quotes in the generated code. */
function parseSpecifier(value: string): string {
  if (/^[^'\\\s]+$/.test(value)) return value;
  throw new InvalidArgumentError('Expected a module name.');
}
