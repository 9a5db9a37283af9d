import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parseAllDocuments } from 'yaml';
import typescript from '../../../../scripts/testing/typescript.ts';
import { type Block, findNote, isShell, type Outcome, toFileName } from '../page.ts';
import { findUnknownOptions, toBerth } from '../shell/command-lines.ts';
import { type Line, toCommands, toLines } from '../shell/parse.ts';
import { isEndless, READY, skipReason, staysUp } from '../shell/what-runs.ts';
import { isDeclaredOnly, isScript, isTest, toGivenFiles, toModule } from '../types/to-module.ts';
import { callsMock } from './addresses.ts';
import { type Desk, isBackground, type Ran } from './desk.ts';

const { resolve } = createRequire(import.meta.url);

/** Files that a page names without a `$schema`, and the schema for each. */
const BY_NAME: [RegExp, string][] = [[/^(.+\/)?berth\.yaml$/, '@berth/server/config.schema.json']];

/**
 * Returns the JSON Schema for a YAML or JSON block, by its `$schema` or else by its file name.
 *
 * @returns `undefined` if it is not a configuration file for these packages
 * @throws Error if no package has the schema that it names
 */
function findSchema(block: Block, value: unknown): object | undefined {
  const name = toSchemaName(block, value);
  return name === undefined ? undefined : JSON.parse(readFileSync(toPath(name), 'utf8'));
}

function toSchemaName(block: Block, value: unknown): string | undefined {
  const comment = /^# yaml-language-server: \$schema=(.+)$/m.exec(block.code)?.[1];
  const own = (value as { $schema?: unknown } | null)?.$schema;
  const file = toFileName(block) ?? '';
  return (
    comment ?? (typeof own === 'string' ? own : BY_NAME.find(([like]) => like.test(file))?.[1])
  );
}

/** Resolves `@berth/server/config.schema.json`, or its file in `node_modules` or on unpkg, as editors need it. */
function toPath(name: string): string {
  const [, owner, path] =
    /^(?:[./]*node_modules|https:\/\/unpkg\.com)\/(@berth\/[\w-]+)\/(.+)$/.exec(name) ?? [];
  if (owner === undefined) return resolve(name);
  return join(dirname(resolve(`${owner}/package.json`)), path as string);
}

const DATA = ['yaml', 'json', 'jsonc'];

/**
 * Parses a data block, and validates it if it has a schema.
 *
 * @throws Error if the data is invalid
 */
function checkData(block: Block): Outcome {
  for (const value of parse(block)) {
    const schema = findSchema(block, value);
    if (schema === undefined)
      return { block, class: 'parsed', why: 'not a configuration file with a schema' };
    const ajv = formats.default(new Ajv.default({ strict: false, allErrors: true }));
    if (!ajv.validate(schema, value)) throw new Error(ajv.errorsText(ajv.errors, { dataVar: '' }));
  }
  return { block, class: 'validated' };
}

function parse({ lang, code }: Block): unknown[] {
  if (lang === 'json') return [JSON.parse(code)];
  if (lang === 'yaml') {
    return parseAllDocuments(code).map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS();
    });
  }
  const { config, error } = typescript.parseConfigFileTextToJson('block.jsonc', code);
  if (error) throw new Error(typescript.flattenDiagnosticMessageText(error.messageText, '\n'));
  return [config];
}

/**
 * Runs the commands in a block if all of them can run here. Otherwise only parses them, and checks that
 * the options of our own commands exist.
 *
 * @throws Error whose message starts with the line of the page
 */
async function runShell(desk: Desk, block: Block): Promise<Outcome & { printed?: string }> {
  const lines = toLines(block);
  const commands = lines.flatMap(({ text }) => toCommands(text));
  for (const words of commands) {
    const berth = toBerth(words);
    const unknown = berth ? findUnknownOptions(berth) : [];
    if (unknown.length > 0) throw new Error(`${berth?.[0]} has no option ${unknown.join(', ')}`);
  }
  const why =
    findNote(block, 'not run')?.value ?? commands.map(skipReason).find((reason) => reason);
  if (why !== undefined) return { block, class: 'parsed', why };

  const given = findNote(block, 'given');
  for (const line of given ? toLines({ ...block, code: given.body, line: given.line }) : []) {
    await expectEnd(desk, line, 0);
  }
  let printed = '';
  for (const [index, line] of lines.entries()) {
    const last = index === lines.length - 1;
    const code = last ? Number(findNote(block, 'exits')?.value ?? 0) : 0;
    printed = (await expectEnd(desk, line, code)).printed;
  }
  return { block, class: 'run', printed };
}

async function expectEnd(desk: Desk, typed: Line, code: number): Promise<Ran> {
  const { text, line, shown } = typed;
  const words = toCommands(text);
  const serves = words.some(staysUp);
  if (!serves && callsMock(text) && !desk.listens(4010)) await desk.serve('exec npx berth-mock');
  if (serves) desk.close();
  const endless = serves ? READY : words.some(isEndless) ? /./ : undefined;
  const ran =
    endless && !isBackground(text)
      ? await desk.serve(text, endless)
      : await desk.run(`${toCurlRule(typed)}\n${text}`);
  if (ran.code !== code)
    throw new Error(`${line}: exited with ${ran.code} instead of ${code}:\n${ran.printed}`);
  const missing = findMissing(shown, ran.printed);
  if (missing !== undefined)
    throw new Error(`${line}: did not print: ${missing}\nbut:\n${ran.printed}`);
  return ran;
}

/** If the page does not show the response, the call must succeed, unless it uses `-i`. */
function toCurlRule({ text, shown }: Line): string {
  const isShown = shown.length > 0 || / -i /.test(text);
  return `export PAGE_CURL=${isShown ? '' : '--fail-with-body'}`;
}

/** Languages of what is read only; test/languages.test.ts runs the programs among them. */
const LEFT_ALONE = ['', 'go', 'http', 'ini', 'python', 'text'];

export type Checked = { outcomes: Outcome[]; faults: string[] };

/** Runs the blocks on a page in order, as a reader would, and classifies each one. */
export async function checkPage(desk: Desk, blocks: Block[]): Promise<Checked> {
  const outcomes: Outcome[] = [];
  const faults: string[] = [];
  let printed = '';
  for (const block of blocks) {
    try {
      const outcome = await check(block);
      printed = outcome.printed ?? printed;
      outcomes.push(outcome);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const at = /^\d+: /.test(text) ? text : `${block.line}: ${text}`;
      faults.push(`${block.page}:${at}`);
      outcomes.push({ block, class: 'wrong' });
    }
  }
  desk.close();
  return { outcomes, faults };

  async function check(block: Block): Promise<Outcome & { printed?: string }> {
    if (isScript(block)) return runScript(desk, blocks, block);
    if (isShell(block)) return runShell(desk, block);
    const file = toFileName(block);
    if (file !== undefined) desk.put(file, block.code);
    if (DATA.includes(block.lang)) return checkData(block);
    if (!LEFT_ALONE.includes(block.lang)) throw new Error(`unknown language: ${block.lang}`);
    if (findNote(block, 'printed')) {
      const missing = findMissing(block.code.split('\n'), printed);
      if (missing !== undefined) throw new Error(`did not print: ${missing}\nbut:\n${printed}`);
      return { block, class: 'run' };
    }
    return { block, class: 'left alone' };
  }
}

/**
 * Runs a script from a page, with Vitest if the script imports it and with Node otherwise.
 *
 * @throws Error with the output if it fails
 */
async function runScript(
  desk: Desk,
  blocks: Block[],
  block: Block,
): Promise<Outcome & { printed?: string }> {
  const { file, text } = toModule(blocks, block);
  for (const given of toGivenFiles(block)) desk.put(given.file, given.text);
  const path = desk.put(file, text);
  const why = findNote(block, 'not run')?.value ?? whyNot();
  if (why !== undefined) return { block, class: 'type-checked', why };

  if (callsMock(text) && !desk.listens(4010)) await desk.serve('exec npx berth-mock');
  const test = `npx vitest run '${file}'`;
  const command = isTest(text) ? test : `node '${path}'`;
  const { code, printed } = findNote(block, 'stays up')
    ? await desk.serve(`exec ${command}`, 'listens')
    : await desk.run(command);
  if (code !== 0) throw new Error(`exited with ${code}:\n${printed}`);
  return { block, class: 'run', printed };

  function whyNot(): string | undefined {
    if (block.lang === 'tsx') return 'Node does not support JSX';
    return isDeclaredOnly(blocks, block) ? 'uses names that only the reader has' : undefined;
  }
}

/** Durations that programs print at the end of a line, which vary from run to run. */
const TIME = / +\d+(\.\d+)?m?s$/;

/**
 * Returns the first line of a page's expected output that was not printed. Complete lines must match in
 * order. Other lines may be printed between them. `…` on a page matches any text, and JSON on a page may have
 * line breaks.
 */
export function findMissing(shown: string[], printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trimEnd().replace(TIME, ''));
  let next = 0;
  for (const line of joinJson(shown)) {
    if (line.trim() === '' || line.trim() === '…') continue;
    const like = new RegExp(`^${line.trimEnd().split('…').map(RegExp.escape).join('.*')}$`);
    const found = lines.findIndex((text, index) => index >= next && like.test(text));
    if (found === -1) return line;
    next = found + 1;
  }
  return undefined;
}

function joinJson(shown: string[]): string[] {
  const joined: string[] = [];
  for (const line of shown) {
    const last = joined.at(-1);
    if (last !== undefined && /^[{[]/.test(last) && count(last, /[{[]/g) > count(last, /[}\]]/g)) {
      joined[joined.length - 1] = last + line.trim();
    } else {
      joined.push(line);
    }
  }
  return joined;
}

function count(text: string, like: RegExp): number {
  return text.match(like)?.length ?? 0;
}
