import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url));

/** The sources that implement the contract. Configuration, logs, metrics and S3 are left out. */
const FILES = [
  'server/src/auth/{create-authenticator,create-bearer}.ts',
  'server/src/blobs/file/{copy-file,create-file-blob-store,open-file,to-disk-path,write-file}.ts',
  'server/src/gateway/{attempt,call-version,create-gateway,create-web-socket-handler}.ts',
  'server/src/gateway/{find-service,service-body,to-service-headers,upstream}.ts',
  'server/src/server/{create-http-server,dispatch}.ts',
  'server-stubs/src/{engine,gateway,http,runtime,storage,upload}/**/*.ts',
];

/** Tests, generated code, and what only serves other documents, clients or handlers. */
const LEFT_OUT =
  /\.test\.ts$|\/(generated\/|(memory-store|sign-request|event-stream|judge|nesting|decoding)\.ts$)/;

const silent = () => {};
const disabled = () => false;
const SILENT = {
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent },
  ...{ isTraceEnabled: disabled, isDebugEnabled: disabled, isInfoEnabled: disabled },
  ...{ isWarnEnabled: disabled, isErrorEnabled: disabled, isFatalEnabled: disabled },
};

/** A change to a source file, made by Stryker. */
export interface SourceMutant {
  /** Stays the same for as long as the changed code does. */
  key: string;
  /** Number that activates it in this instrumented copy. */
  id: string;
  /** Path in `packages/`. */
  file: string;
  line: number;
  /** Stryker's name for this kind of change: `ConditionalExpression`. */
  mutator: string;
  original: string;
  replacement: string;
}

export interface Instrumented {
  /** Sources that contain every mutant, by absolute path. Each is inactive. */
  sources: Record<string, string>;
  mutants: SourceMutant[];
}

/** Lets Stryker write every mutant into copies of the sources: one copy serves all mutants. */
export async function instrument(): Promise<Instrumented> {
  const names: string[] = [];
  for await (const name of glob(FILES, { cwd: PACKAGES })) {
    if (!LEFT_OUT.test(name)) names.push(name);
  }
  const contents = new Map<string, string>();
  for (const name of names.toSorted()) {
    contents.set(PACKAGES + name, await readFile(PACKAGES + name, 'utf8'));
  }
  const files = [...contents].map(([name, content]) => ({ name, content, mutate: true }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const result = await new Instrumenter(SILENT).instrument(files, options);
  const seen = new Map<string, number>();
  const mutants = result.mutants.map((each): SourceMutant => {
    const { id, fileName, mutatorName: mutator, replacement, location } = each;
    const file = fileName.slice(PACKAGES.length);
    const original = cutOut(contents.get(fileName) ?? '', location);
    const text = JSON.stringify([file, mutator, original, replacement]);
    const count = seen.get(text) ?? 0;
    seen.set(text, count + 1);
    const key = hash(`${text}${count}`).slice(0, 10);
    return { key, id, file, line: location.start.line + 1, mutator, original, replacement };
  });
  const sources = result.files.map(({ name, content }) => [name, content]);
  return { sources: Object.fromEntries(sources), mutants };
}

/**
 * Draws mutants at random. Changes to the sources only affect the mutants in the changed code: all others are
 * drawn again.
 */
export function drawSample(
  mutants: readonly SourceMutant[],
  size: number,
  seed: number,
): SourceMutant[] {
  const ranked = mutants.map((mutant) => ({ mutant, rank: hash(`${seed} ${mutant.key}`) }));
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

interface Position {
  /** From 0. */
  line: number;
  column: number;
}

function cutOut(content: string, { start, end }: { start: Position; end: Position }): string {
  const lines = content.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  lines[last] = lines[last]?.slice(0, end.column) ?? '';
  lines[0] = lines[0]?.slice(start.column) ?? '';
  return lines.join('\n');
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
