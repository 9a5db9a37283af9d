import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import type { OpenAPI3 } from 'openapi-typescript';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { toDataSchema } from '../../generated/event-streams.gen.ts';
import { SERVICE_NAME_PATTERN } from '../../generated/msw.gen.ts';
import { isRecord } from '../../internal/options.ts';
import { Failure } from '../output.ts';
import { type Source, toServiceValidators } from './validators.ts';

/** Matches documents in a folder, which are named after their service: `orders.openapi.yaml`. */
const DOCUMENT_NAME = /^(.+)\.openapi\.(?:ya?ml|json)$/;

/** Larger documents might not fit into memory several times. */
const LARGEST_DOCUMENT = 32 * 1024 * 1024;

const HEADER = `// Written by \`berth types\`. Do not edit: change the OpenAPI documents and run it again.
// biome-ignore-all lint: generated
/* eslint-disable */
`;

interface TypesOptions {
  readonly output?: string;
  readonly service?: Readonly<Record<string, string>>;
  readonly validate?: boolean;
}

export function addTypes(program: Command): Command {
  return program
    .command('types')
    .description('Generate TypeScript types for hosted services from their OpenAPI documents.')
    .argument(
      '[paths...]',
      'OpenAPI documents, or folders that contain them; orders.openapi.yaml describes the service "orders"',
    )
    .option('-s, --service <name=file>', 'service name and OpenAPI document; repeatable', toService)
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .option(
      '--validate',
      'also generate response validators; with --output X.gen.ts, they are in X.validators.gen.ts',
    )
    .addHelpText(
      'after',
      `
Needs openapi-typescript 7 in your project: npm install --save-dev openapi-typescript
--validate also needs @berth/server-stubs: npm install --save-dev @berth/server-stubs
Documents must be OpenAPI 3.0, 3.1 or 3.2, in one or more local files.

Example:
  berth types ./services -o src/services.gen.ts`,
    )
    .action(async (paths: string[], options: TypesOptions) => {
      if (options.validate && options.output === undefined)
        throw new Failure('--validate writes a second file, so it needs --output.', 2);
      const sources = await findSources(paths, options.service);
      const validators = options.validate ? await toServiceValidators(sources) : undefined;
      const text = await toServiceTypes(sources);
      if (options.output === undefined) {
        process.stdout.write(text);
        return;
      }
      await mkdir(dirname(resolve(options.output)), { recursive: true });
      await writeFile(options.output, text);
      const names = sources.map(({ name }) => name).join(', ');
      process.stderr.write(`Wrote types for ${names} to ${options.output}.\n`);
      if (validators === undefined) return;
      const beside = options.output.replace(/(\.gen)?(\.[cm]?ts)?$/, '.validators.gen.ts');
      await writeFile(beside, validators.text);
      for (const warning of validators.warnings) process.stderr.write(`warning: ${warning}\n`);
      process.stderr.write(`Wrote validators to ${beside}.\n`);
    });
}

function toService(text: string, known: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new Failure(`--service must be name=file, got ${JSON.stringify(text)}.`, 2);
  return { ...known, [text.slice(0, at)]: text.slice(at + 1) };
}

async function findSources(
  paths: readonly string[],
  services: Readonly<Record<string, string>> = {},
): Promise<Source[]> {
  const found: Source[] = Object.entries(services).map(([name, file]) => ({ name, file }));
  for (const path of paths) {
    const info = await stat(path).catch((error: Error) => {
      throw new Failure(`Cannot read ${path}: ${error.message}.`, 2);
    });
    const files = info.isDirectory() ? (await readdir(path)).sort() : [basename(path)];
    const folder = info.isDirectory() ? path : dirname(path);
    const inPath = files.flatMap((file) => {
      const name = DOCUMENT_NAME.exec(file)?.[1];
      return name === undefined ? [] : [{ name, file: join(folder, file) }];
    });
    if (inPath.length === 0) {
      const hint = info.isDirectory()
        ? 'it contains no file named like orders.openapi.yaml'
        : 'rename it to <service>.openapi.yaml, or use --service name=file';
      throw new Failure(`${path}: ${hint}.`, 2);
    }
    found.push(...inPath);
  }
  if (found.length === 0) throw new Failure('Pass a folder or file, or use --service.', 2);
  const files = new Map<string, string>();
  for (const { name, file } of found) {
    if (!new RegExp(SERVICE_NAME_PATTERN).test(name)) {
      throw new Failure(`${file}: "${name}" is not a valid hosted service name.`, 2);
    }
    const other = files.get(name);
    if (other !== undefined) {
      throw new Failure(`Found two documents for service ${name}: ${other} and ${file}.`, 2);
    }
    files.set(name, file);
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export async function toServiceTypes(sources: readonly Source[]): Promise<string> {
  const { default: openapiTS, astToString } = await loadGenerator();
  const namespaces = new Map<string, string>();
  const modules: string[] = [];
  for (const { name, file } of sources) {
    const namespace = toNamespace(name, new Set(namespaces.values()));
    namespaces.set(name, namespace);
    const { document, place } = await readDocument(file);
    try {
      const nodes = await openapiTS(toPlainStreams(document) as OpenAPI3, {
        cwd: pathToFileURL(resolve(file)),
        silent: true,
        defaultNonNullable: false,
      });
      const body = astToString(nodes)
        .trimEnd()
        .replaceAll(/^(?=.)/gm, '    ');
      modules.push(
        `/** ${basename(file).replaceAll('*/', '*\\/')} */\nexport declare namespace ${namespace} {\n${body}\n}\n`,
      );
    } catch (error) {
      throw new Failure(place((error as Error).message), 2);
    }
  }
  const services = sources.map(
    ({ name }) => `    ${JSON.stringify(name)}: ${namespaces.get(name)}.paths;\n`,
  );
  const index = `/** The paths of each hosted service, for \`createGatewayClient<Services>(…)\`. */\nexport interface Services {\n${services.join('')}}\n`;
  return [HEADER, index, ...modules].join('\n');
}

async function loadGenerator() {
  try {
    return await import('openapi-typescript');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Failure(
      'berth types needs openapi-typescript 7: npm install --save-dev openapi-typescript',
      2,
    );
  }
}

/** Returns an identifier that no other service has, because names may contain hyphens. */
function toNamespace(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replaceAll(/\W/g, '_').replace(/^(?=\d)/, '_');
  let namespace = `${plain}Service`;
  while (taken.has(namespace)) namespace += '_';
  return namespace;
}

/**
 * Reads a document. Also returns a function that resolves the JSON pointer in a message to a position in
 * the file.
 */
async function readDocument(file: string) {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`Cannot read ${file}: ${error.message}.`, 2);
  });
  if (text.length > LARGEST_DOCUMENT) throw new Failure(`${file} is larger than 32 MiB.`, 2);
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [wrong] = parsed.errors;
  if (wrong) throw new Failure(`${at(wrong.pos[0])}: ${wrong.message}`, 2);
  const document: unknown = parsed.toJS({ maxAliasCount: 1000 });
  if (!isRecord(document)) throw new Failure(`${file}:1:1: not an OpenAPI document.`, 2);
  if (!/^3\.[0-2](\.\d+)?$/.test(String(document.openapi))) {
    const version = document.swagger ? `Swagger ${document.swagger}` : (document.openapi ?? 'none');
    throw new Failure(`${at(0)}: must be OpenAPI 3.0, 3.1 or 3.2, got ${version}`, 2);
  }
  const place = (message: string) => {
    const [whole, pointer = ''] = / at #?(\/\S*)$/.exec(message) ?? [];
    const plain = whole === undefined ? message : message.slice(0, -whole.length);
    return `${at(offsetOf(parsed, pointer))}: ${plain}`;
  };
  return { document, place };
}

/** Returns the offset at which the value of a JSON pointer, or of its nearest ancestor, starts. */
function offsetOf(document: Document, pointer: string): number {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  for (; keys.length > 0; keys.pop()) {
    const node = document.getIn(keys, true) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return 0;
}

/**
 * Copies a document so that `openapi-typescript` can read its event streams: the schema of a stream
 * becomes that of its events' data.
 */
function toPlainStreams(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toPlainStreams);
  if (!isRecord(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (key === 'openapi') return [key, String(value).replace(/^3\.2.*/, '3.1.1')];
      const isStream = key === 'text/event-stream' && isRecord(value);
      return [key, toPlainStreams(isStream ? toDataSchema(value) : value)];
    }),
  );
}
