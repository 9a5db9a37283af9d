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
  asObject,
  InvalidDocumentError,
  isObject,
  isTooDeep,
  OpenApiDocument,
  type Pointer,
  TOO_DEEP,
  targetOf,
  toPointer,
} from './document.ts';
import { SAME_VALUE, subschemasOf } from './schemas.ts';
import { upgradeDocument } from './upgrade.ts';

/**
 * Reads, checks and bundles a document: OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML, in one file or
 * several. URLs are never loaded.
 *
 * @param source a path, or a parsed document
 * @throws InvalidDocumentError
 */
export async function loadDocument(source: string | object): Promise<OpenApiDocument> {
  const config = await createConfig({ rules: RULES });
  const externalRefResolver = new LocalResolver(config.resolve);
  const root = await readRoot(source, externalRefResolver);
  checkVersion(root);
  assertAcyclic(root);
  const found = await lintDocument({ document: root, config, externalRefResolver }).catch(
    (error: Error) => {
      // Redocly follows references recursively.
      throw toError(root, isTooDeep(error) ? TOO_DEEP : `It cannot be read: ${error.message}.`);
    },
  );
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new InvalidDocumentError(errors.map(toProblem));
  if (externalRefResolver.getFiles().size > 1) {
    await bundle({ doc: root, config, externalRefResolver });
  }
  const upgraded = upgradeDocument(JSON.parse(JSON.stringify(root.parsed)));
  const locateIn = (pointer: Pointer) => locate(root, pointer);
  const files = [...externalRefResolver.getFiles()];
  return new OpenApiDocument(upgraded, files, locateIn, found.map(toProblem));
}

const OPERATION_ID = 'operation-operationId-unique';

/** Errors are what openapi-typescript rejects. It accepts fields of a wrong type or name. */
const RULES = {
  struct: 'warn',
  'no-unresolved-refs': 'error',
  'path-parameters-defined': 'warn',
  [OPERATION_ID]: 'error',
} as const;

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
      throw toError(place, `This is not valid JSON or YAML: ${reason}.`);
    }
    const { originalError = error } = error as { originalError?: unknown };
    const { code, message } = originalError as NodeJS.ErrnoException;
    throw toError(source, `The file cannot be read: ${code ?? message}`);
  }
}

function checkVersion(root: Document): void {
  const { openapi, swagger } = asObject(root.parsed);
  const version = openapi ?? swagger;
  if (typeof version === 'string' && /^(?:2\.0$|3\.[01]\.\d)/.test(version)) return;
  const found = JSON.stringify(version) ?? 'missing';
  throw toError(root, `The version must be "3.1.x", "3.0.x", or "2.0" of Swagger. It is ${found}.`);
}

/** Rejects references that Redocly and validators would follow forever. */
function assertAcyclic(root: Document): void {
  const open = new Set<unknown>();
  const done = new Set<unknown>();
  /** Returns a pointer to a schema that applies itself to the same value. `from` is the last reference followed. */
  const findCycle = (value: unknown, from: Pointer): Pointer | undefined => {
    if (open.has(value)) return from;
    if (!isObject(value) || done.has(value)) return undefined;
    open.add(value);
    const target = targetOf(root.parsed, value);
    let cycle = findCycle(target, toPointer(String(value.$ref)));
    for (const each of subschemasOf(value, SAME_VALUE)) cycle ??= findCycle(each, from);
    open.delete(value);
    done.add(value);
    return cycle;
  };
  let cycle: Pointer | undefined;
  try {
    JSON.stringify(root.parsed, (_, value) => {
      cycle ??= findCycle(value, '#');
      return value;
    });
  } catch {
    throw toError(root, 'A YAML alias is recursive or too large. Use $ref instead.');
  }
  if (cycle === undefined) return;
  throw toError(root, 'This reference is circular. Remove it.', cycle);
}

function toError(at: string | Document, message: string, pointer = '#'): InvalidDocumentError {
  const place = typeof at === 'string' ? at : locate(at, pointer);
  return new InvalidDocumentError([{ place, pointer, message }]);
}

function toProblem({ message, location: [location], suggest, ruleId }: NormalizedProblem) {
  const text = message.trim().replace(/[^.?!]$/, '$&.');
  const fix = ruleId === 'no-unresolved-refs' && 'Correct the reference, or add its target.';
  const suggestion = suggest.length > 0 && `Did you mean ${suggest.join(' or ')}?`;
  const pointer = location?.pointer ?? '#';
  return {
    place: location === undefined ? '' : toPlace(location),
    // Redocly's pointer ends with the ID instead of `operationId`.
    pointer: ruleId === OPERATION_ID ? pointer.replace(/[^/]*$/, 'operationId') : pointer,
    message: [text, fix, suggestion].filter(Boolean).join(' '),
  };
}

/** For a pointer into another file, the place is that of the closest ancestor in this file. */
function locate({ source, parsed }: Document, pointer: Pointer): string {
  const schemas = 'swagger' in asObject(parsed) ? '#/definitions/' : '$&';
  const original = pointer.replace(/^#\/components\/schemas\//, schemas);
  return toPlace({ source, pointer: original, reportOnKey: true });
}

/** The path is relative if the file is below the working directory. */
function toPlace(location: LocationObject): string {
  const { absoluteRef } = location.source;
  const path = relative(process.cwd(), absoluteRef);
  const { start } = getLineColLocation(location);
  return `${path.startsWith('..') ? absoluteRef : path}:${start.line}:${start.col}`;
}
