import { readFile } from 'node:fs/promises';
import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  YAMLParseError,
} from 'yaml';
import { isObject, type Pointer, type Problem, toNames } from './document.ts';

/** Thrown if a file does not exist, cannot be read, or is neither JSON nor YAML. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** The place of a pointer as `file:line:column`, or of the closest object around it that is in the file. */
export type Locator = (pointer: Pointer) => string;

export interface Loaded {
  /** The bundled document, in OpenAPI 3. */
  readonly document: unknown;
  /** Changes that were necessary to read the document. */
  readonly warnings: readonly Problem[];
  readonly locate: Locator;
}

/**
 * Reads a JSON or YAML document that consists of one or more files. Swagger 2.0 is converted.
 *
 * @throws UnreadableError
 */
export async function loadDocument(file: string): Promise<Loaded> {
  if (/^https?:/.test(file)) {
    throw new UnreadableError(`${file}: only local files are supported, so download it first.`);
  }
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UnreadableError(`${file} cannot be read: ${error.code ?? error.message}.`);
  });
  const parsed = parseFile(file, bytes.toString('utf8').replace(/^\uFEFF/, ''));
  const found = { isCircular: false, hasFiles: false };
  inspect({ document: parsed.document }, new Set(), new Set(), found);
  if (found.isCircular) {
    throw new UnreadableError(
      `${file} has a YAML alias that contains itself. Use $ref for recursive schemas.`,
    );
  }
  if (!found.hasFiles) return convert(file, parsed);
  const document = await bundleFiles(file).catch((error: Error) => {
    throw new UnreadableError(`${file} cannot be bundled: ${error.message}`);
  });
  return convert(file, { ...parsed, document });
}

async function convert(file: string, loaded: Loaded): Promise<Loaded> {
  const { document, warnings } = loaded;
  if (!isObject(document) || !String(document.swagger).startsWith('2')) return loaded;
  const { default: swagger } = await import('swagger2openapi').catch(() => {
    throw new UnreadableError(
      `${file} is Swagger 2.0: to read it, run npm install swagger2openapi.`,
    );
  });
  // Some of what Swagger 2.0 allows is not in OpenAPI 3.0, such as the collection format tsv.
  const options = { patch: true, warnOnly: true };
  const { openapi } = await swagger
    .convertObj(document as unknown as Swagger, options as Parameters<typeof swagger.convertObj>[1])
    .catch((error: Error) => {
      throw new UnreadableError(`${file} cannot be converted to OpenAPI 3.0: ${error.message}`);
    });
  const message = 'Swagger 2.0 is converted to OpenAPI 3.0, which may lose details.';
  return {
    ...loaded,
    document: openapi,
    warnings: [...warnings, { pointer: '#/swagger', message }],
    locate: (pointer) =>
      loaded.locate(
        pointer
          .replace(/^#\/components\/schemas\//, '#/definitions/')
          .replace(/^#\/components\/(parameters|responses)\//, '#/$1/'),
      ),
  };
}

/** Looks for aliases that contain themselves, and for references to other files. */
function inspect(
  value: object,
  path: Set<object>,
  done: Set<object>,
  found: { isCircular: boolean; hasFiles: boolean },
): void {
  path.add(value);
  for (const [key, each] of Object.entries(value)) {
    if (typeof each === 'object' && each !== null) {
      if (path.has(each)) found.isCircular = true;
      else if (!done.has(each)) inspect(each, path, done, found);
    } else if (key === '$ref' && typeof each === 'string' && !each.startsWith('#')) {
      found.hasFiles ||= !/^[a-z][a-z\d+.-]*:/i.test(each);
    }
  }
  path.delete(value);
  done.add(value);
}

/** A reference that cannot be read is left as is, and URLs are never loaded. */
async function bundleFiles(file: string): Promise<unknown> {
  // Loaded on demand, because most documents consist of a single file.
  const { BaseResolver, bundle, createConfig } = await import('@redocly/openapi-core');
  class LocalResolver extends BaseResolver {
    override async loadExternalRef(ref: string) {
      if (/^https?:/i.test(ref)) throw new Error(`${ref} is not a local file.`);
      return super.loadExternalRef(ref);
    }
  }
  const config = await createConfig({});
  const externalRefResolver = new LocalResolver(config.resolve);
  const bundled = await bundle({ ref: file, config, externalRefResolver });
  return bundled.bundle.parsed;
}

type Swagger = Parameters<typeof import('swagger2openapi').convertObj>[0];

function parseFile(file: string, text: string): Loaded {
  // The YAML parser would read JSON too, a hundred times slower.
  if (!text.trimStart().startsWith('{')) return parseYaml(file, text);
  try {
    const locate = createJsonLocator(file, text);
    return { document: JSON.parse(text), warnings: [], locate };
  } catch (error) {
    const errors: ParseError[] = [];
    parseTree(text, errors);
    const place = toLines(text).linePos(errors[0]?.offset ?? 0);
    throw new UnreadableError(
      `${file}:${place.line}:${place.col} is not valid JSON: ${(error as Error).message}`,
    );
  }
}

function parseYaml(file: string, text: string): Loaded {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { logLevel: 'error', lineCounter: lines });
  try {
    if (yaml.errors[0] !== undefined) throw yaml.errors[0];
    return {
      document: yaml.toJS({ maxAliasCount: -1 }),
      warnings: [],
      locate: createYamlLocator(file, yaml, lines),
    };
  } catch (error) {
    const place = error instanceof YAMLParseError ? error.linePos?.[0] : undefined;
    // The lines after the first show the location.
    const [reason = ''] = (error as Error).message.split(/ at line \d+, column \d+|:?\n/);
    const where = place ? `:${place.line}:${place.col}` : '';
    throw new UnreadableError(`${file}${where} is not valid YAML: ${reason}`);
  }
}

function createJsonLocator(file: string, text: string): Locator {
  let tree: Node | undefined;
  let lines: LineCounter | undefined;
  return (pointer) => {
    // Read only for documents with warnings.
    tree ??= parseTree(text);
    lines ??= toLines(text);
    let node = tree;
    for (const name of toNames(pointer)) {
      const step = node?.type === 'array' ? Number(name) : name;
      const next = node && findNodeAtLocation(node, [step]);
      if (next === undefined) break;
      node = next;
    }
    const offset = node?.parent?.type === 'property' ? node.parent.offset : (node?.offset ?? 0);
    return toPlace(file, lines, offset);
  };
}

function toLines(text: string): LineCounter {
  const lines = new LineCounter();
  for (let at = 0; at >= 0; at = text.indexOf('\n', at) + 1 || -1) lines.addNewLine(at);
  return lines;
}

function createYamlLocator(file: string, yaml: Document, lines: LineCounter): Locator {
  return (pointer) => {
    let node: unknown = yaml.contents;
    let offset = 0;
    for (const name of toNames(pointer)) {
      const owner: unknown = isAlias(node) ? node.resolve(yaml) : node;
      if (isSeq(owner)) node = owner.items[Number(name)];
      else if (isMap(owner)) {
        const pair = owner.items.find(({ key }) => isScalar(key) && String(key.value) === name);
        if (isScalar(pair?.key)) offset = pair.key.range?.[0] ?? offset;
        node = pair?.value;
        continue;
      } else break;
      if (isMap(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
    }
    return toPlace(file, lines, offset);
  };
}

function toPlace(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}`;
}
