import { X509Certificate } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { parseWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { toContract, toPlace } from '../contract/operations.ts';
import { rules } from '../contract/rules.ts';
import type { ConformanceOptions, KnownFailure } from '../options.ts';
import { StartError } from '../result.ts';
import { type Given, toFlag, toVariable } from './options.ts';
import { suggest } from './parse-arguments.ts';
import { readTextFile } from './terminal.ts';

const IDS = rules.map(({ id }) => id);

/** The engines that have no rules of their own. */
const OTHERS = ['dredd', 'respect'];

const TRANSACTIONS = toContract().transactions.map((transaction) => toPlace(transaction).name);

/** URLs of a run that makes no calls. */
export const NOWHERE_URLS = {
  ...{ gatewayUrl: 'http://gateway.invalid', storageUrl: 'http://storage.invalid' },
};

/** Rule IDs have this form; the IDs of transactions and workflows do not. */
const RULE_LIKE = /^[A-Z]{2}-/;

/**
 * Converts command-line options to the options for a run, and reads the files that they refer to.
 *
 * @throws StartError that names the option
 */
export async function toOptions(given: Given): Promise<ConformanceOptions> {
  assertRuleNames('--only', given.only);
  assertRuleNames('--skip', given.skip);
  if (given.gatewayUrl === undefined && given.storageUrl === undefined) {
    throw new StartError(
      `${toFlag('gatewayUrl')} and ${toFlag('storageUrl')} are missing. You can also set ${toVariable('gatewayUrl')} and ${toVariable('storageUrl')}.`,
    );
  }
  const { wireProfile, ca, baseline, storageHeader, ...others } = given;
  return {
    ...(others as ConformanceOptions),
    tc3: toTc3(given),
    storageHeaders: parseHeaders('--storage-header', storageHeader),
    wireProfile: await when(wireProfile, readWireProfile),
    ca: await when(ca, readCertificates),
    baseline: await when(baseline, readBaseline),
  };
}

/**
 * Checks that names are rule IDs, names of transactions, prefixes of either, `dredd` or `respect`.
 *
 * @param option the option that lists them, for the message
 * @throws StartError that names the first unknown one
 */
function assertRuleNames(option: string, names: readonly string[] = []): void {
  for (const name of names) {
    if (OTHERS.includes(name)) continue;
    if ([...IDS, ...TRANSACTIONS].some((id) => id.startsWith(name))) continue;
    throw new StartError(`${option}: unknown rule ${name}${suggest(name, [...IDS, ...OTHERS])}`);
  }
}

function toTc3(given: Given): ConformanceOptions['tc3'] {
  const { tc3SecretId: secretId, tc3SecretKey: secretKey, tc3Token, tc3Service } = given;
  const { storageSigningHost } = given;
  if (secretId !== undefined && secretKey !== undefined) {
    return { secretId, secretKey, token: tc3Token, service: tc3Service, storageSigningHost };
  }
  const half = secretId === undefined ? 'tc3SecretId' : 'tc3SecretKey';
  const parts = { tc3SecretId: secretId, tc3SecretKey: secretKey, tc3Token, tc3Service };
  const [alone] = Object.entries({ ...parts, storageSigningHost })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (alone === undefined) return undefined;
  throw new StartError(`${toFlag(alone)} needs ${toFlag(half)}.`);
}

async function when<From, To>(
  value: From | undefined,
  read: (value: From) => Promise<To>,
): Promise<To | undefined> {
  return value === undefined ? undefined : read(value);
}

/**
 * Parses headers from `'Name: value'` arguments.
 *
 * @throws StartError that does not show the value
 */
function parseHeaders(option: string, headers: string[] = []): Record<string, string> {
  return Object.fromEntries(headers.map((header) => parseHeader(option, header)));
}

function parseHeader(option: string, header: string): [string, string] {
  const [, name, value] = /^([^:]+):[ \t]*(.*)$/s.exec(header) ?? [];
  try {
    validateHeaderName(name ?? '');
    validateHeaderValue(name ?? '', value ?? '');
    return [name as string, value as string];
  } catch {
    throw new StartError(`${option} must be 'Name: value'.`);
  }
}

/**
 * Reads known failures: a JSON list of IDs and objects, or text with one ID per line, which may be followed by
 * `until 2027-03-31` and, after `#`, the reason.
 *
 * @throws StartError if the file is neither, or names an unknown rule
 */
async function readBaseline(file: string): Promise<KnownFailure[]> {
  const text = await readTextFile(file, '--baseline');
  const entries = text.trimStart().startsWith('[') ? fromJson(file, text) : fromLines(text);
  const ids = entries.map(({ id }) => id);
  const unknown = ids.find((id) => RULE_LIKE.test(id) && !IDS.includes(id));
  if (unknown !== undefined) {
    throw new StartError(`--baseline ${file}: unknown rule ${unknown}${suggest(unknown, IDS)}`);
  }
  return entries.filter(({ id }, at) => ids.indexOf(id) === at);
}

const ENTRY = /^(.*?)(?:\s+until\s+(\S+))?$/;

function fromLines(text: string): KnownFailure[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [what = '', ...comment] = line.split(/(?:^|\s)#/);
    const [, id = '', expires] = ENTRY.exec(what.trim()) ?? [];
    const reason = comment.join('#').trim() || undefined;
    return id === '' ? [] : [{ id, expires, reason }];
  });
}

function fromJson(file: string, text: string): KnownFailure[] {
  try {
    const list: unknown = JSON.parse(text);
    const entries = Array.isArray(list)
      ? list.map((entry) => (typeof entry === 'string' ? { id: entry } : Object(entry)))
      : [{}];
    if (entries.every(isEntry)) return entries;
  } catch {}
  throw new StartError(
    `--baseline ${file} must be a JSON list of IDs, or of objects with id, reason and expires, or text with one ID per line.`,
  );
}

function isEntry(entry: Record<string, unknown>): entry is Record<string, unknown> & KnownFailure {
  const { id, reason = '', expires = '', ...rest } = entry;
  const areTexts = [id, reason, expires].every((value) => typeof value === 'string');
  return areTexts && Object.keys(rest).length === 0;
}

/**
 * Reads CA certificates.
 *
 * @throws StartError if the file contains no readable certificate
 */
async function readCertificates(file: string): Promise<string> {
  const text = await readTextFile(file, '--ca');
  try {
    // Node accepts anything here, and reports nothing until a connection fails.
    new X509Certificate(text);
    return text;
  } catch {
    throw new StartError(`The --ca file contains no PEM certificate: ${file}.`);
  }
}

/**
 * Reads a wire profile (D1).
 *
 * @throws StartError that names the problem in the file
 */
async function readWireProfile(file: string): Promise<WireProfile> {
  const text = await readTextFile(file, '--wire-profile');
  try {
    return parseWireProfile(text, file);
  } catch (error) {
    throw new StartError((error as Error).message);
  }
}
