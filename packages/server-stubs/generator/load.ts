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
  type ResolveConfig,
  Source,
  YamlParseError,
} from '@redocly/openapi-core';
import {
  asObject,
  isObject,
  type JsonObject,
  type Pointer,
  reachable,
  targetOf,
  toList,
  toPointer,
} from './json.ts';
import { normalizeDocument, toLatest } from './normalize.ts';
import { InvalidDocumentError, OpenApiDocument, type Problem, TOO_DEEP } from './openapi.ts';
import { subschemasOf } from './subschemas.ts';

const OPERATION_ID = 'operation-operationId-unique';

/** Errors are what openapi-typescript rejects. It accepts fields of a wrong type or name. */
const RULES = {
  struct: 'warn',
  'no-unresolved-refs': 'error',
  'path-parameters-defined': 'warn',
  [OPERATION_ID]: 'error',
} as const;

/**
 * Reads, checks, bundles and upgrades a document: OpenAPI 3.0 or 3.1, or Swagger 2.0, as JSON or YAML, in one file
 * or several. URLs are never loaded.
 *
 * @param source a path, or a parsed document
 * @param onFile called with the path of each file before it is read, even if it is missing or invalid
 * @throws InvalidDocumentError
 */
export async function loadDocument(
  source: string | object,
  onFile: (file: string) => void = () => {},
): Promise<OpenApiDocument> {
  const config = await createConfig({ rules: RULES });
  const externalRefResolver = new LocalResolver(config.resolve, onFile);
  const document = await readRoot(source, externalRefResolver);
  const { openapi, swagger } = asObject(document.parsed);
  const version = JSON.stringify(openapi ?? swagger);
  if (version === undefined) {
    throw toInvalid(document, 'This is not an OpenAPI document: the field openapi is missing.');
  }
  if (!/^"(?:2\.0"|3\.[01]\.\d)/.test(version)) {
    const message = `The version must be "3.1.x", "3.0.x", or "2.0" of Swagger, got ${version}.`;
    throw toInvalid(document, message);
  }
  let root = toTree(document);
  const problems = await lintDocument({ document, config, externalRefResolver }).catch((error) => {
    // Redocly follows references recursively.
    const isTooDeep = error instanceof RangeError;
    throw toInvalid(document, isTooDeep ? TOO_DEEP : `It cannot be read: ${error.message}.`);
  });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new InvalidDocumentError(errors.map(convertProblem));
  if (externalRefResolver.getFiles().size > 1) {
    await bundle({ doc: document, config, externalRefResolver });
    root = toTree(document);
  }
  const warnings = problems.map(convertProblem);
  try {
    root = toLatest(root);
  } catch (error) {
    // The cause is usually a field of a wrong type, which the warnings name.
    const message = `It cannot be converted to OpenAPI 3.1: ${(error as Error).message}.`;
    throw new InvalidDocumentError([...toInvalid(document, message).problems, ...warnings]);
  }
  normalizeDocument(root);
  return new OpenApiDocument(root, warnings, (pointer) => locate(document, pointer));
}

class LocalResolver extends BaseResolver {
  readonly #onFile: (file: string) => void;

  constructor(config: ResolveConfig, onFile: (file: string) => void) {
    super(config);
    this.#onFile = onFile;
  }

  override async loadExternalRef(ref: string): Promise<Source> {
    if (/^[a-z][a-z\d+.-]+:/i.test(ref)) {
      throw new Error('Download it first; URLs are not loaded.');
    }
    this.#onFile(ref);
    return super.loadExternalRef(ref);
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
      const message = `This is not valid JSON or YAML: ${error.message.replace(/ in ".*$/, '')}.`;
      throw toInvalid(`${source}:${error.line}:${error.col}`, message);
    }
    const { originalError = error } = error as { originalError?: unknown };
    const { code, message } = originalError as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT' ? 'does not exist: check the path.' : `cannot be read: ${code ?? message}`;
    throw new InvalidDocumentError([], `${source} ${problem}`);
  }
}

/** Returns a copy without YAML aliases. Rejects references that Redocly and validators would follow forever. */
function toTree(document: Document): JsonObject {
  let root: JsonObject;
  try {
    root = JSON.parse(JSON.stringify(document.parsed));
  } catch {
    throw toInvalid(document, 'A YAML alias is recursive or too large. Use $ref instead.');
  }
  const open = new Set<JsonObject>();
  const done = new Set<JsonObject>();
  const membersOf = (value: unknown) => (isObject(value) ? Object.values(value) : toList(value));
  for (const value of reachable<unknown>([root], membersOf)) assertTerminates(value, '#');
  return root;

  /** @param from the last reference that was followed */
  function assertTerminates(value: unknown, from: Pointer): void {
    if (!isObject(value) || done.has(value)) return;
    if (open.has(value)) throw toInvalid(document, 'This reference is circular. Remove it.', from);
    // A longer chain could overflow the stack.
    if (open.size === 1000) throw toInvalid(document, TOO_DEEP, from);
    open.add(value);
    assertTerminates(targetOf(root, value), toPointer(String(value.$ref)));
    const sameValue = subschemasOf(value, ['always', 'alternative', 'condition', 'test']);
    for (const subschema of sameValue) assertTerminates(subschema, from);
    open.delete(value);
    done.add(value);
  }
}

function toInvalid(at: string | Document, message: string, pointer = '#'): InvalidDocumentError {
  const location = typeof at === 'string' ? at : locate(at, pointer);
  return new InvalidDocumentError([{ location, pointer, message }]);
}

function convertProblem({ message, location, suggest, ruleId }: NormalizedProblem): Problem {
  const [first] = location as [LocationObject];
  const text = message.trim().replace(/[^.?!]$/, '$&.');
  const fix = ruleId === 'no-unresolved-refs' && 'Correct the reference, or add its target.';
  const suggestion = suggest.length > 0 && `Did you mean ${suggest.join(' or ')}?`;
  const pointer = first.pointer ?? '#';
  return {
    location: toLocation(first),
    // Redocly's pointer ends with the ID instead of `operationId`.
    pointer: ruleId === OPERATION_ID ? pointer.replace(/[^/]*$/, 'operationId') : pointer,
    message: [text, fix, suggestion].filter(Boolean).join(' '),
  };
}

/** For a pointer into another file, the location is that of the closest ancestor in this file. */
function locate({ source, parsed }: Document, pointer: Pointer): string {
  const schemas = 'swagger' in asObject(parsed) ? '#/definitions/' : '$&';
  const original = pointer.replace(/^#\/components\/schemas\//, schemas);
  return toLocation({ source, pointer: original, reportOnKey: true });
}

/** The path is relative if the file is below the working directory. */
function toLocation(location: LocationObject): string {
  const { absoluteRef } = location.source;
  const path = relative(process.cwd(), absoluteRef);
  const { start } = getLineColLocation(location);
  return `${path.startsWith('..') ? absoluteRef : path}:${start.line}:${start.col}`;
}
