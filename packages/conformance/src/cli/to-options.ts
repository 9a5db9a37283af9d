import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { rules } from '../contract/rules.ts';
import { transactions } from '../dredd/transactions.ts';
import type { ConformanceOptions, KnownFailure } from '../options.ts';
import { workflows } from '../respect/run-workflows.ts';
import { StartError } from '../result.ts';

type FromFiles = 'tc3' | 'storageHeaders' | 'wireProfile' | 'known';

/** The options of the command, which have files and texts where those of a run have what is in them. */
export interface CommandOptions extends Omit<ConformanceOptions, FromFiles> {
  tc3SecretId?: string;
  tc3SecretKey?: string;
  tc3Token?: string;
  tc3Service?: string;
  storageSigningHost?: string;
  storageHeader?: string[];
  wireProfile?: string;
  known?: string;
  list?: boolean;
  report?: string[];
  quiet?: boolean;
  verbose?: boolean;
}

/**
 * Converts the options of the command to those of a run, and reads the files that they name.
 *
 * @throws StartError that names the option
 */
export function toOptions(options: CommandOptions): ConformanceOptions {
  if (options.gatewayUrl === undefined && options.storageUrl === undefined) {
    throw new StartError(
      '--gateway-url and --storage-url are missing. You can also set BERTH_GATEWAY_URL and BERTH_STORAGE_URL.',
    );
  }
  assertIds(options);
  const { storageHeader = [], wireProfile, ca, known, ...others } = options;
  return {
    ...others,
    tc3: toTc3(options),
    storageHeaders: Object.fromEntries(storageHeader.map(toHeader)),
    wireProfile: wireProfile === undefined ? undefined : readWireProfile(wireProfile),
    ca: ca === undefined ? undefined : readCertificates(ca),
    known: known === undefined ? undefined : readKnown(known),
  };
}

/**
 * Checks that each selected ID is that of a rule, a transaction, a workflow or an engine, or the start of one.
 *
 * @throws StartError that names the first unknown one
 */
export function assertIds({ only = [], skip = [] }: CommandOptions): void {
  const ids = [...listIds(), 'dredd', 'respect'];
  for (const [flag, names] of Object.entries({ '--only': only, '--skip': skip })) {
    const unknown = names.find((name) => !ids.some((id) => id.startsWith(name)));
    if (unknown !== undefined) throw toUnknown(flag, unknown);
  }
}

function toUnknown(flag: string, id: string): StartError {
  return new StartError(`${flag}: nothing is called ${id}; see --list.`);
}

/** Lists the IDs of all rules, sentences, transactions and workflows. */
function listIds(): string[] {
  return [
    ...rules.flatMap(({ id, sentences }) => [id, ...Object.keys(sentences)]),
    ...transactions.map(({ name }) => name),
    ...workflows.map(({ id }) => id),
  ];
}

function toTc3(options: CommandOptions): ConformanceOptions['tc3'] {
  const { tc3SecretId: secretId, tc3SecretKey: secretKey } = options;
  const { tc3Token: token, tc3Service: service, storageSigningHost } = options;
  if (secretId !== undefined && secretKey !== undefined) {
    return { secretId, secretKey, token, service, storageSigningHost };
  }
  if (secretId === secretKey && token === undefined) return undefined;
  throw new StartError('--tc3-secret-id and --tc3-secret-key need each other.');
}

function toHeader(header: string): [string, string] {
  const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*)$/s.exec(header) ?? [];
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    throw new StartError("--storage-header must be 'Name: value'.");
  }
}

function readText(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`${option} ${file} cannot be read (${code}).`);
  }
}

/** Reads a wire profile (D1). */
function readWireProfile(file: string): WireProfile {
  const text = readText('--wire-profile', file);
  try {
    return parseWireProfile(text, file);
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}

function readCertificates(file: string): string {
  const text = readText('--ca', file);
  try {
    // Node accepts anything here, and reports nothing until a connection fails.
    new X509Certificate(text);
    return text;
  } catch {
    throw new StartError(`--ca ${file} contains no PEM certificate.`);
  }
}

const KNOWN = /^(?<id>\S.*?)(?<flaky>\s+flaky)?(?:\s+until\s+(?<expires>\S+))?$/;

/** Reads known failures: one a line, as an ID, `flaky`, `until 2027-03-31`, and the reason after `#`. */
function readKnown(file: string): KnownFailure[] {
  const lines = readText('--known', file).split(/\r?\n/);
  const ids = listIds();
  return lines.flatMap((line) => {
    const [entry = '', reason] = line.split(/(?:^|\s)#\s*(.*)/);
    const { id, flaky, expires } = KNOWN.exec(entry.trim())?.groups ?? {};
    if (id === undefined) return [];
    if (!ids.includes(id)) throw toUnknown(`--known ${file}`, id);
    return [{ id, reason, expires, flaky: flaky !== undefined }];
  });
}
