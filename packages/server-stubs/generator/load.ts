import { relative } from 'node:path';
import {
  BaseResolver,
  bundle,
  createConfig,
  type Document,
  getLineColLocation,
  type LocationObject,
  lintDocument,
  type NormalizedProblem,
  Source,
  YamlParseError,
} from '@redocly/openapi-core';
import {
  decodeReference,
  InvalidDocumentError,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  Problems,
  TOO_DEEP,
  valueAt,
} from './document.ts';
import { upgradeDocument } from './upgrade.ts';

/** A document in OpenAPI 3.1, in which every operation has its final, unique `operationId`. */
export interface LoadedDocument {
  readonly document: JsonObject;
  /** Warnings of loading. Later steps add theirs. */
  readonly problems: Problems;
  /** The files that were read: the document, and those that it refers to. Empty for a parsed document. */
  readonly files: readonly string[];
}

/**
 * Reads, checks and bundles a document: OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML, in one file or
 * several. URLs are never loaded.
 *
 * @param source a path, or a parsed document
 * @throws InvalidDocumentError
 */
export async function loadDocument(source: string | object): Promise<LoadedDocument> {
  const config = await createConfig({ rules: RULES });
  const externalRefResolver = new LocalResolver(config.resolve);
  const root = await readRoot(source, externalRefResolver);
  checkVersion(root);
  assertFinite(root);
  const found = await lintDocument({ document: root, config, externalRefResolver }).catch(
    (error: Error) => {
      // Redocly follows references recursively.
      if (error instanceof RangeError) throw refuse(root, TOO_DEEP);
      const pointer = findCircle(root.parsed);
      if (pointer === undefined) throw refuse(root, `It cannot be read: ${error.message}.`);
      const place = toPlace({ source: root.source, pointer, reportOnKey: true });
      throw new InvalidDocumentError([{ place, pointer, message: CIRCULAR }]);
    },
  );
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new InvalidDocumentError(errors.map(toProblem));
  if (externalRefResolver.getFiles().size > 1) {
    await bundle({ doc: root, config, externalRefResolver });
  }
  const isSwagger = isObject(root.parsed) && 'swagger' in root.parsed;
  // What comes from another file has the place of the closest part around it that is in this one.
  const locate = (pointer: Pointer) =>
    toPlace({
      source: root.source,
      pointer: isSwagger ? toSwagger(pointer) : pointer,
      reportOnKey: true,
    });
  const problems = new Problems(locate, found.map(toProblem));
  const document = upgradeDocument(JSON.parse(JSON.stringify(root.parsed)));
  return { document, problems, files: [...externalRefResolver.getFiles()] };
}

const OPERATION_ID = 'operation-operationId-unique';

/** What openapi-typescript refuses is an error. It takes documents with fields of a wrong type or name. */
const RULES = {
  struct: 'warn',
  'no-unresolved-refs': 'error',
  'path-parameters-defined': 'warn',
  [OPERATION_ID]: 'error',
} as const;

/** How to fix what a rule reports, where its message does not say so. */
const FIXES: Readonly<Record<string, string>> = {
  'no-unresolved-refs': 'Correct the reference, or add its target.',
  [OPERATION_ID]: 'Give each operation an ID of its own.',
};

class LocalResolver extends BaseResolver {
  override async loadExternalRef(ref: string): Promise<Source> {
    if (!/^[a-z][a-z\d+.-]+:/i.test(ref)) return super.loadExternalRef(ref);
    throw new Error('a URL is not loaded. Save it as a file next to the document.');
  }
}

async function readRoot(source: string | object, resolver: BaseResolver): Promise<Document> {
  if (typeof source !== 'string') {
    const text = JSON.stringify(source, null, 2);
    return { source: new Source('document', text), parsed: JSON.parse(text) };
  }
  try {
    return (await resolver.resolveDocument(null, source, true)) as Document;
  } catch (error) {
    if (error instanceof YamlParseError) {
      const reason = error.message.replace(/ in ".*$/, '');
      const place = `${source}:${error.line}:${error.col}`;
      throw refuse(place, `This is not valid JSON or YAML: ${reason}.`);
    }
    const { originalError = error } = error as { originalError?: unknown };
    const { code, message } = originalError as NodeJS.ErrnoException;
    throw refuse(source, `The file cannot be read: ${code ?? message}`);
  }
}

const CIRCULAR = 'This reference leads back to itself. Refer to something else.';

/** Finds a reference that leads to nothing but itself. Redocly fails without saying where. */
function findCircle(
  document: unknown,
  value: unknown = document,
  pointer: Pointer = '#',
): Pointer | undefined {
  const seen = new Set<unknown>();
  for (let target = value; typeof Object(target).$ref === 'string' && !seen.has(target); ) {
    seen.add(target);
    target = valueAt(document, decodeReference(Object(target).$ref));
    if (target === value) return pointer;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, each] of Object.entries(value)) {
    const found = findCircle(document, each, join(pointer, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An alias of YAML is one object in several places. */
function assertFinite(root: Document): void {
  try {
    JSON.stringify(root.parsed);
  } catch {
    throw refuse(root, 'A YAML alias contains itself, or too much. Use $ref instead.');
  }
}

function refuse(place: string | Document, message: string): InvalidDocumentError {
  const at = typeof place === 'string' ? place : `${toFile(place.source)}:1:1`;
  return new InvalidDocumentError([{ place: at, pointer: '#', message }]);
}

function checkVersion(root: Document): void {
  const { parsed } = root;
  const version = isObject(parsed) ? (parsed.openapi ?? parsed.swagger) : undefined;
  if (typeof version === 'string' && /^(?:2\.0$|3\.[01]\.\d)/.test(version)) return;
  const found =
    typeof version === 'number'
      ? `${version} must be a string, such as "${version.toFixed(1)}.0"`
      : `this document has ${version === undefined ? 'no version' : JSON.stringify(version)}`;
  throw refuse(root, `Only OpenAPI 3.0 and 3.1 and Swagger 2.0 are supported, and ${found}.`);
}

function toProblem({ message, location: [location], suggest, ruleId }: NormalizedProblem) {
  const fixes = [
    FIXES[ruleId],
    suggest.length > 0 ? `Did you mean ${suggest.join(' or ')}?` : undefined,
  ];
  const text = message.trim().replace(/[^.?!]$/, '$&.');
  const pointer = location?.pointer ?? '#';
  return {
    place: location === undefined ? '' : toPlace(location),
    // Redocly names the ID in place of the field.
    pointer: ruleId === OPERATION_ID ? pointer.replace(/[^/]*$/, 'operationId') : pointer,
    message: [text, ...fixes.filter((fix) => fix !== undefined)].join(' '),
  };
}

function toPlace(location: LocationObject): string {
  const { start } = getLineColLocation(location);
  return `${toFile(location.source)}:${start.line}:${start.col}`;
}

/** As users would write it. */
function toFile({ absoluteRef }: Source): string {
  const path = relative(process.cwd(), absoluteRef);
  return path.startsWith('..') ? absoluteRef : path;
}

function toSwagger(pointer: Pointer): Pointer {
  return pointer
    .replace(/^#\/components\/schemas\//, '#/definitions/')
    .replace(/^#\/components\/(parameters|responses)\//, '#/$1/');
}
