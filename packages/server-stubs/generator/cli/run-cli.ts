import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { RefusedError } from '../document.ts';
import { withFolderError, writeMarked } from '../files.ts';
import { generate } from '../generate.ts';
import { FolderNotEmpty, initProject } from '../init/init-project.ts';
import type { Fingerprints } from '../modules/write-fingerprints.ts';
import { readManifest } from '../package-info.ts';
import { loadDocument, UnreadableError } from './load-document.ts';
import { describeChanges, describeHandlers, describeNotes } from './report.ts';

/** Number of operations from which progress is printed. */
const LARGE = 200;
const EPILOGUE = `
Exit codes: 0 success; 1 the files could not be written; 2 the command line or the document is invalid,
and nothing was written.`;

export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/**
 * Runs `berth-stubs`.
 *
 * @param argv without the names of Node and of the script
 * @returns the exit code: 0 success, 1 the files could not be written, 2 the command line or the document
 *   is invalid and nothing was written
 */
export async function runCli(argv: readonly string[], output: Output): Promise<number> {
  const program = createProgram(output);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const isOurs = error instanceof RefusedError || error instanceof UnreadableError;
    output.error(`${toMessage(error)}\n`);
    return isOurs || error instanceof FolderNotEmpty ? 2 : 1;
  }
}

function createProgram(output: Output): Command {
  const program = new Command('berth-stubs')
    .description(
      'Typed handlers, routes and compiled validators from an OpenAPI 3.0 to 3.2 document.',
    )
    .version(readManifest().version)
    .showHelpAfterError('See berth-stubs --help for options and commands.')
    .argument('<openapi>', 'the document, one JSON or YAML file', parsePath)
    .option('-o, --output <dir>', 'folder for the generated files; required', parsePath)
    .option(
      '--handlers <dir>',
      'folder with a handler for each operationId: reports missing, changed and obsolete ones',
      parsePath,
    )
    .option('--base-path <path>', 'prefix of all paths, instead of the path of the servers')
    .option(
      '--runtime <specifier>',
      'module that generated code imports the runtime from',
      parseSpecifier,
    )
    .addOption(
      new Option('--import-extension <ending>', 'extension of imports between the generated files')
        .choices(['ts', 'js'])
        .default('ts'),
    )
    .option('-q, --quiet', 'print errors only')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.error })
    .action((file: string, settings: GenerateSettings) => {
      // Not a required option, because `init` does not have it.
      if (settings.output === undefined)
        program.error("error: option '-o, --output <dir>' is missing");
      return generateInto(file, settings, output);
    });
  program
    .command('init')
    .description('Write a small Express project with a typed handler for each operation of Berth.')
    .argument('<dir>', 'folder of the project', parsePath)
    .option('--force', 'write into a folder that is not empty; files of the same name are replaced')
    .exitOverride()
    .action(async (folder: string, { force = false }: { force?: boolean }) => {
      if (program.opts<Partial<GenerateSettings>>().output !== undefined) {
        program.error('error: init writes to <dir>: remove --output');
      }
      await initProject(folder, { force }).catch(
        withFolderError(folder, 'name another folder for the project'),
      );
      output.out(`${folder} is ready: cd ${folder} && npm install && npm test && npm start\n`);
    });
  return program;
}

function toMessage(error: unknown): string {
  if (error instanceof RefusedError) {
    const count = error.problems.length;
    return `${error.message}\n${count} ${count === 1 ? 'place' : 'places'} cannot be generated. Nothing was written.`;
  }
  return error instanceof Error ? error.message : String(error);
}

interface GenerateSettings {
  readonly output: string;
  readonly handlers?: string;
  readonly basePath?: string;
  readonly runtime?: string;
  readonly importExtension?: 'ts' | 'js';
  readonly quiet?: boolean;
}

/**
 * Generates into a folder, and reports what that means for existing handlers, which it does not change.
 */
async function generateInto(
  file: string,
  settings: GenerateSettings,
  { out }: Output,
): Promise<void> {
  const print = (line: string) => settings.quiet || out(`${line}\n`);
  const started = performance.now();
  const { document, bytes } = await loadDocument(file);
  let isLarge = false;
  const generated = generate(document, {
    ...settings,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    onProgress: (step) => {
      isLarge ||= Number.parseInt(step, 10) >= LARGE;
      if (isLarge) print(`${step} …`);
    },
  });
  for (const line of describeNotes(generated.notes)) print(line);

  const before = await readFingerprints(settings.output);
  const mark = `Generated by berth-stubs. Repair: ${toRepairCommand(file, settings)}`;
  const after = generated.files.get('fingerprints.gen.json') as Fingerprints;
  const changes = describeChanges(before, after);
  const handlers =
    settings.handlers === undefined ? [] : await describeHandlers(settings.handlers, before, after);
  for (const [name, content] of generated.files) {
    await writeMarked(join(settings.output, name), content, mark).catch(
      withFolderError(settings.output, 'name another folder with --output'),
    );
  }
  for (const line of [...changes, ...handlers]) print(line);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  print(`${generated.operations} operations generated into ${settings.output} in ${seconds} s.`);
}

async function readFingerprints(folder: string): Promise<Fingerprints | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'fingerprints.gen.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The command that generates the same files again. Paths are relative, so that it is the same on every
 * machine.
 */
function toRepairCommand(file: string, settings: GenerateSettings): string {
  const { output, handlers, basePath, runtime, importExtension } = settings;
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
  return ['npx berth-stubs', quote(toRelative(file)), ...words].join(' ');
}

function toRelative(path: string): string {
  return (relative(process.cwd(), path) || '.').replaceAll('\\', '/');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** An empty path is usually a shell variable that is not set. */
function parsePath(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}

/** The specifier is written in quotes in generated code. */
function parseSpecifier(value: string): string {
  if (/^[^'\\\s]+$/.test(value)) return value;
  throw new InvalidArgumentError('It must be the name of a module.');
}
