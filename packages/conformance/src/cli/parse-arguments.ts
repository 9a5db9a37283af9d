import { createProgram, type Typed } from './create-program.ts';
import { type Given, OPTIONS, type OptionName, toFlag, toVariable } from './options/options.ts';
import { readConfigFile } from './options/read-config-file.ts';
import { readEnvironment } from './options/read-environment.ts';
import { toValue } from './options/to-value.ts';

/** How the user knows the given options: `--timeout`, `BERTH_TIMEOUT`, `timeout in FILE`. */
export type Labels = Readonly<Record<string, string>>;

/** What is to be done. */
export type Arguments =
  | { command: 'run'; given: Given; labels: Labels }
  | { command: 'fixture'; options: Typed['options'] };

/**
 * Reads the command line, the `BERTH_*` variables and the configuration file, which count in this
 * order. `--help` and `--version` are written with `writeOut`.
 *
 * @throws CommanderError or StartError where something is bad, or help was asked for
 */
export async function parseArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  writeOut: (text: string) => void,
): Promise<Arguments> {
  let typed: Typed = { command: 'run', options: {} };
  const program = createProgram((found) => {
    typed = found;
  });
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut, writeErr: () => {} });
  }
  program.parse(args, { from: 'user' });
  if (typed.command === 'fixture') return { command: 'fixture', options: typed.options };
  const fromFlags = Object.fromEntries(
    Object.entries(typed.options).map(([name, raw]) => [
      name,
      toValue(OPTIONS[name as OptionName], raw, toFlag(name)),
    ]),
  ) as Given;
  const fromVariables = readEnvironment(env);
  const { config } = { ...fromVariables, ...fromFlags };
  const fromFile = config === undefined ? {} : await readConfigFile(config);
  return {
    command: 'run',
    given: { ...fromFile, ...fromVariables, ...fromFlags },
    labels: {
      ...label(fromFile, (name) => `${name} in ${config}`),
      ...label(fromVariables, toVariable),
      ...label(fromFlags, toFlag),
    },
  };
}

function label(given: Given, toLabel: (name: string) => string): Labels {
  return Object.fromEntries(Object.keys(given).map((name) => [name, toLabel(name)]));
}
