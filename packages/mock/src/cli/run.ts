import { existsSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { parseWireProfile } from '@berth/spec/wire-profile';
import { Command, InvalidArgumentError, Option } from 'commander';
import { startMock } from '../create-mock.ts';
import { describeMissing } from '../live.ts';
import {
  DEFAULTS,
  type MockOptions,
  OPTIONS,
  type OptionName,
  type ResolvedOptions,
  resolveOptions,
} from '../options.ts';
import { createPrism } from '../prism/prism.ts';
import { assertOptions, FieldError } from '../user-input.ts';
import { describeMock } from './banner.ts';

/** `npm start` in a clone, instead of an installed `berth-mock`. */
const isNpmStart = () => process.env.npm_lifecycle_event === 'start';

export async function run(argv: readonly string[], version: string): Promise<void> {
  const { options, wireProfilePath } = parseOptions(argv, version);
  try {
    const resolved = resolveOptions(options, (message) => process.stderr.write(`${message}\n`));
    const { mock, context } = await startMock(resolved);
    const stop = () => {
      // The log lines of the last calls are printed before the process exits.
      void mock.close().then(() => setImmediate(() => process.exit(0)));
    };
    // A terminal sends a signal to `npm start`, too, which passes it on.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    // Services may throw outside a call; that must not crash the mock.
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error) => process.stderr.write(`Uncaught error: ${inspect(error)}\n`));
    }
    const text =
      options.log === 'json'
        ? JSON.stringify({ url: mock.url, ready: true })
        : `${await describeMock(mock, context, wireProfilePath)}\n\nready`;
    process.stdout.write(`${text}\n`);
    // After the first calls of a page, which loading would delay.
    if (isNpmStart()) setTimeout(() => preload(resolved).catch(() => {}), 2_000).unref();
  } catch (error) {
    const message = toMessage(error as NodeJS.ErrnoException, options);
    if (message === undefined) throw error;
    process.stderr.write(`${message}\n`);
    process.exitCode = 2;
  }
}

/** Loads what is imported when needed: in a clone, another command, such as `npm test`, may replace the packages. */
async function preload(options: ResolvedOptions): Promise<void> {
  await import('ws');
  const operation = { operationId: 'any', responses: { 200: {} } };
  // Prism itself imports modules during its first response.
  await createPrism([{ paths: { '/': { get: operation } } }], options).respond('any', undefined);
}

/** Errors in an option, or in a file that it names. */
const FIXABLE = ['ServicesError', 'InvalidDocumentError'];

function toMessage(error: NodeJS.ErrnoException, options: MockOptions): string | undefined {
  const { port, host } = options;
  // npm passes on only what follows `--`.
  const command = isNpmStart() ? 'npm start -- ' : '';
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use: stop the other program, or choose another port with ${command}--port.`;
    case 'EACCES':
      return `Port ${port} requires elevated privileges: choose a port above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: choose another one with --host.`;
    default:
      if (error instanceof FieldError) return toFlagMessage(error);
      return FIXABLE.includes(error.name) ? error.message : undefined;
  }
}

/** Names the flag of an option that turns out to be invalid only when the mock starts. */
function toFlagMessage({ field, message, cause }: FieldError): string {
  // The rules may match operations of the document.
  if (field.startsWith('faults[')) return `--faults: ${(cause as Error).message}`;
  const [flag = field] = OPTIONS[field as OptionName].flag.split(' ');
  return message.replace(field, flag);
}

/** Parses the command line. Exits with 0 after `--help` and `--version`, and with 2 for invalid options. */
function parseOptions(argv: readonly string[], version: string) {
  const command = commandName();
  const program = new Command(command)
    .description('Serve a mock of the gateway, the storage API and the upload target on one port.')
    .addHelpText('after', '\nOpen /__mock in a browser for the log and the files.')
    .version(version)
    .allowExcessArguments(false)
    .showHelpAfterError(`See ${command} --help for the options.`)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const [key, { flag, help }] of Object.entries(OPTIONS)) {
    const name = key as OptionName;
    const parse = (text: string, previous: unknown) => parseFlag(name, text, previous);
    if (name === 'document') program.argument(flag, help, parse);
    else program.addOption(new Option(flag, help).default(CLI_DEFAULTS[name]).argParser(parse));
  }
  assertNpmPassesOptions(argv.slice(2), program);
  program.parse(argv);
  const { services, wireProfile, ...rest } = program.opts();
  const options: MockOptions = {
    ...rest,
    services: toServices(services, program),
    wireProfile: wireProfile?.profile,
    document: program.processedArgs[0],
  };
  return { options, wireProfilePath: wireProfile?.path as string | undefined };
}

const CLI_DEFAULTS: MockOptions = { ...DEFAULTS, port: 4010, log: 'text' };

function parseFlag(name: OptionName, text: string, previous: unknown): unknown {
  const { takes, isValid, flagRequirement } = OPTIONS[name];
  try {
    if (name === 'wireProfile') {
      if (!existsSync(text)) throw new TypeError(describeMissing(text));
      return { path: text, profile: parseWireProfile(readFileSync(text, 'utf8'), text) };
    }
    let value: unknown = text;
    if (takes === 'number' && /^\d+$/.test(text)) value = Number(text);
    if (takes === 'list') value = [...((previous as string[] | undefined) ?? []), text];
    if (flagRequirement && !isValid(value)) throw new TypeError(`It must be ${flagRequirement}.`);
    // `toServices` joins them.
    assertOptions({ [name]: name === 'services' ? text : value }, OPTIONS);
    return value;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** Joins `shop=http://…` and other named services. A file must be alone. */
function toServices(values: readonly string[] | undefined, program: Command) {
  const named = values?.map((value) => /^([^=/\\]+)=(.+)$/.exec(value)?.slice(1)) ?? [];
  if (named.every((entry) => entry !== undefined)) {
    const names = named.map(([name]) => name);
    const repeated = names.find((name, index) => names.indexOf(name) < index);
    if (repeated) program.error(`error: --services: ${repeated} must not be repeated.`);
    return values && (Object.fromEntries(named) as Record<string, string>);
  }
  if (values?.length === 1) return values[0];
  return program.error(
    `error: --services takes one file, or services such as shop=http://127.0.0.1:3000, not ${values?.join(' and ')}.`,
  );
}

/** npm keeps the options that do not follow `--`, and only sets variables such as `npm_config_port=true`. */
function assertNpmPassesOptions(args: readonly string[], program: Command): void {
  if (!isNpmStart()) return;
  const read = (flag: string) => process.env[`npm_config_${flag.slice(2).replaceAll('-', '_')}`];
  const flags = program.options.map(({ long }) => String(long)).filter(read);
  if (flags.length === 0) return;
  const values = flags.map(read).filter((value) => value !== 'true');
  // Nothing says which argument belongs to which of several options.
  const typed =
    flags.length > 1 ? `${flags.join(' … ')} …` : [...flags, ...values, ...args].join(' ');
  program.error(`error: npm did not pass on ${flags[0]}: write npm start -- ${typed}`);
}

/** Returns the command that the user typed. npm says how it was called. */
function commandName(): string {
  if (isNpmStart()) return 'npm start --';
  return process.env.npm_lifecycle_event === 'npx' ? 'npx berth-mock' : 'berth-mock';
}
