import { Command, CommanderError, Option } from 'commander';
import { RefusedError } from '../document/problems.ts';
import { FolderNotEmpty, initProject } from '../init/init-project.ts';
import { readManifest } from '../package-info.ts';
import { type GenerateSettings, generateInto } from './generate-into.ts';
import { UnreadableError } from './load-document.ts';
import { parsePath, parseSpecifier } from './parse-words.ts';
import { tellFolder } from './tell-folder.ts';

/** Where the command line tool writes to. */
export interface Output {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

const EPILOGUE = `
Exit codes: 0 done; 1 the files could not be written; 2 the command line or the document is at fault,
and nothing was written.`;

/**
 * Runs `berth-stubs`.
 *
 * @param argv without the names of Node and of the script
 * @returns the exit code: 0 done, 1 failed on this machine, 2 the command line or the document is at
 *   fault and nothing was written
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
      'folder with a file for each operationId: tells which are missing, changed or obsolete',
      parsePath,
    )
    .option('--base-path <path>', 'path before all paths, instead of that of the servers')
    .option(
      '--runtime <specifier>',
      'module that generated code imports the runtime from',
      parseSpecifier,
    )
    .addOption(
      new Option('--import-extension <ending>', 'ending of imports among the generated files')
        .choices(['ts', 'js'])
        .default('ts'),
    )
    .option('-q, --quiet', 'print nothing but errors')
    .addHelpText('after', EPILOGUE)
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.error })
    .action((file: string, settings: GenerateSettings) => {
      // Not a required option, for `init` does without.
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
        program.error('error: init writes to its <dir>: leave --output out');
      }
      await initProject(folder, { force }).catch(
        tellFolder(folder, 'name another folder for the project'),
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
