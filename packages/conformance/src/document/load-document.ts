import { relative } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, type JsonObject, locate } from '../contract/openapi.ts';
import { StartError, Unreached } from '../result.ts';

/** Thrown for a schema that cannot be compiled, for example because it contains a broken reference. */
export class UnusableSchema extends Unreached {}

/**
 * The direction in which a value is sent. Requests omit `readOnly` properties, and responses omit `writeOnly`
 * ones.
 */
type Direction = 'request' | 'response';

/** An OpenAPI document of any version, whose schemas have been converted to those of OpenAPI 3.1. */
export interface ApiDocument {
  file: string;
  title: string;
  version: string;
  /** The bundled document, in which all references are local. */
  root: JsonObject;
  /** Returns the schema at a JSON pointer, adapted to one direction. */
  schemaAt(pointer: string, direction: Direction): unknown;
  /**
   * Validates a value against the schema at a JSON pointer.
   *
   * @returns the first violation as text, or `undefined` if the value is valid
   * @throws UnusableSchema if the schema cannot be compiled
   */
  validate(pointer: string, direction: Direction, value: unknown): string | undefined;
  /**
   * Errors in parts of the document, with file, line and column. Operations that need these parts are
   * skipped.
   */
  problems: string[];
}

/**
 * Reads an OpenAPI document (3.0, 3.1 or 3.2, JSON or YAML) and the local files that it refers to. URLs are
 * never loaded.
 *
 * @param option the option that names the file, for messages
 * @throws StartError that names the file, the line and the column
 */
export async function loadDocument(file: string, option: string): Promise<ApiDocument> {
  const { parsed, problems } = await bundle(file, option);
  const refuse = (message: string) => new StartError(`${option}: ${file}:1:1: ${message}`, option);
  if (!isObject(parsed)) throw refuse('the file must contain an OpenAPI document.');
  const { openapi, swagger } = parsed;
  if (!/^3\.[0-2](\.\d+)?$/.test(String(openapi))) {
    const found = swagger === undefined ? String(openapi ?? 'none') : `Swagger ${swagger}`;
    throw refuse(`openapi must be 3.0, 3.1 or 3.2, not ${found}.`);
  }
  if (!isObject(parsed.paths)) throw refuse('the document has no paths.');
  const root = upgrade(parsed, String(openapi).startsWith('3.0')) as JsonObject;
  return toApiDocument(file, root, problems);
}

/**
 * Creates a document whose references are local and whose schemas are those of OpenAPI 3.1.
 *
 * @param file its name in messages
 */
export function toApiDocument(
  file: string,
  root: JsonObject,
  problems: string[] = [],
): ApiDocument {
  const { title = file, version = '' } = Object(root.info);
  const roots = {
    request: orient(root, root, 'readOnly'),
    response: orient(root, root, 'writeOnly'),
  };
  return {
    ...{ file, title: String(title), version: String(version), root, problems },
    schemaAt: (pointer, direction) =>
      locate(roots[direction] as JsonObject, { $ref: pointer }, pointer).value,
    validate: createValidate(roots),
  };
}

async function bundle(file: string, option: string) {
  // Loaded on demand: a run against the contract needs none of it.
  const redocly = await import('@redocly/openapi-core');
  class LocalResolver extends redocly.BaseResolver {
    override async loadExternalRef(ref: string) {
      if (/^https?:/i.test(ref)) throw new Error(`${ref} is not a local file`);
      return super.loadExternalRef(ref);
    }
  }
  const toPlace = (path: string, line: number, col: number) => {
    const near = relative(process.cwd(), path);
    return `${near.startsWith('..') ? path : near}:${line}:${col}`;
  };
  const config = await redocly.createConfig({});
  const externalRefResolver = new LocalResolver(config.resolve);
  try {
    const found = await redocly.bundle({ ref: file, config, externalRefResolver });
    const problems = found.problems.map(({ message, location: [place] }) => {
      if (place === undefined) return message;
      const { source, start } = redocly.getLineColLocation(place);
      return `${toPlace(source.absoluteRef, start.line, start.col)}: ${message}`;
    });
    return { parsed: found.bundle.parsed as unknown, problems };
  } catch (error) {
    if (error instanceof redocly.YamlParseError) {
      const [what] = error.message.split(/ in "|\n/);
      const place = toPlace(error.source.absoluteRef, error.line, error.col);
      throw new StartError(`${option}: ${place}: ${what}.`, option);
    }
    const { message, code } = ((error as { originalError?: Error }).originalError ??
      error) as NodeJS.ErrnoException;
    const why = code ?? message.replace(/\.$/, '');
    throw new StartError(`${option}: ${file} cannot be read: ${why}.`, option);
  }
}

/** Values of these keys are data, not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/** Returns a copy of a document in which every object outside of data is changed. */
export function mapObjects(node: unknown, change: (node: JsonObject) => JsonObject): unknown {
  if (Array.isArray(node)) return node.map((item) => mapObjects(item, change));
  if (!isObject(node)) return node;
  const entries = Object.entries(change(node));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, DATA.has(key) ? value : mapObjects(value, change)]),
  );
}

/**
 * Converts the parts of OpenAPI 3.0 that differ from JSON Schema: `nullable` and exclusive limits, which some
 * later documents also use, and references, whose siblings OpenAPI 3.0 ignores.
 */
function upgrade(document: unknown, isOfVersion30: boolean): unknown {
  return mapObjects(document, (node) => {
    if (isOfVersion30 && typeof node.$ref === 'string') return { $ref: node.$ref };
    const { nullable, ...schema } = node;
    for (const limit of ['Minimum', 'Maximum']) {
      const [flag, name] = [`exclusive${limit}`, limit.toLowerCase()];
      const { [flag]: isExclusive, [name]: value } = schema;
      if (typeof isExclusive !== 'boolean') continue;
      delete schema[flag];
      if (!isExclusive || value === undefined) continue;
      schema[flag] = value;
      delete schema[name];
    }
    if (typeof nullable === 'object') return node;
    if (nullable !== true) return schema;
    if (Array.isArray(schema.enum)) schema.enum = [...new Set([...schema.enum, null])];
    if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] };
    return { anyOf: [schema, { type: 'null' }] };
  });
}

/** Returns a copy in which the properties that are omitted in this direction are not required. */
function orient(root: JsonObject, document: unknown, mark: 'readOnly' | 'writeOnly'): unknown {
  return mapObjects(document, (node) => {
    const { properties, required } = node;
    if (!isObject(properties) || !Array.isArray(required)) return node;
    const isOmitted = (name: unknown) => {
      const property = properties[String(name)];
      if (!isObject(property)) return false;
      if (property[mark] === true) return true;
      const { value } = locate(root, property, '#');
      return isObject(value) && value[mark] === true;
    };
    return { ...node, required: required.filter((name) => !isOmitted(name)) };
  });
}

/** Patterns that were written for another language may not be valid in Unicode mode. */
const regExp = Object.assign(
  (pattern: string, flags: string) => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: 'new RegExp' },
);

function createValidate(roots: Record<Direction, unknown>): ApiDocument['validate'] {
  const ajv = new Ajv2020({ strict: false, logger: false, code: { regExp } });
  addFormats.default(ajv);
  for (const name of ['request', 'response'] as const) {
    ajv.addSchema(roots[name] as object, name, false, false);
  }
  const compiled = new Map<string, ValidateFunction | UnusableSchema>();
  const compile = (address: string) => {
    try {
      return ajv.compile({ $ref: address });
    } catch (error) {
      const { message } = error as Error;
      return new UnusableSchema(`the schema at ${address} cannot be used: ${message}`);
    }
  };
  return (pointer, direction, value) => {
    const address = `${direction}${pointer}`;
    const validate = compiled.get(address) ?? compile(address);
    compiled.set(address, validate);
    if (validate instanceof UnusableSchema) throw validate;
    if (validate(value)) return undefined;
    const [first] = validate.errors ?? [];
    const place = first?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    const { allowedValues, additionalProperty } = first?.params ?? {};
    const detail = allowedValues?.join(', ') ?? additionalProperty;
    return `${place && `${place} `}${first?.message}${detail === undefined ? '' : `: ${detail}`}`;
  };
}
