import type { AnySchema } from 'ajv';
import { toNames } from '../src/runtime/portable/json-pointer.ts';
import type { Validator } from '../src/runtime/portable/route-table.ts';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  type OpenApiDocument,
  type Pointer,
  targetOf,
  toList,
  toPointer,
} from './document.ts';
import { Names, toTypeName } from './names.ts';
import {
  ALL_OF,
  COMPOSITIONS,
  isMarked,
  mapSubschemas,
  propertiesOf,
  subschemasOf,
} from './schemas.ts';
import { createCompiler, type Schema, writeValidators } from './validators.ts';

/** Keywords that take a value. All others are annotations, which have no effect, or unknown to Ajv. */
const VALUE = new Set(
  `type enum const multipleOf maximum minimum maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties
  dependentRequired format`.split(/\s+/),
);

/**
 * Keywords that would reject what is valid if something in their schemas, or in the schema that has them, is not
 * checked. They are then left out, too.
 */
const STRICT = /^(?:not|if|oneOf|contains)$/;
const UNEVALUATED = /^unevaluated(?:Items|Properties)$/;

/**
 * The schemas of requests or of responses, as Ajv validates them: without annotations, which may look like schemas,
 * and with an ID for each target of a `$ref`, so that it is compiled once.
 */
export class SchemaSet {
  readonly document: OpenApiDocument;
  /** By ID. */
  readonly schemas = new Map<string, Schema>();
  /** What `add` returned, by ID. The other schemas are only referred to. */
  readonly validators = new Map<string, Validator>();
  readonly #hidden: 'readOnly' | 'writeOnly';
  readonly #names = new Names();
  /** By the reference to a target, or the text of any other schema. */
  readonly #ids = new Map<string, string>();
  /** References to convert. A queue, because a chain of them may be longer than the stack is deep. */
  readonly #references: string[] = [];
  /** What `#isComplete` has found, so that no schema is read once for each schema that refers to it. */
  readonly #complete = new Map<unknown, boolean>();
  #compile: ((id: string) => Validator) | undefined;

  /** @param hidden the mark of properties that are not required in this direction */
  constructor(document: OpenApiDocument, hidden: 'readOnly' | 'writeOnly') {
    this.document = document;
    this.#hidden = hidden;
  }

  /**
   * Returns a stand-in for a validator, which compiles it when it is first called, or `undefined` if every value is
   * valid. In generated code, `writeRoutes` replaces each stand-in with the export of its ID.
   *
   * @example
   * validateParameters: set.add(schema, '#/paths/~1pets/get/parameters')
   * // at run time: compiles `isPetsGetParameters` on its first call
   * // in routes.gen.ts: validateParameters: requests.isPetsGetParameters
   */
  add(schema: unknown, pointer: Pointer): Validator | undefined {
    const converted = this.#convert(schema);
    for (let $ref = this.#references.pop(); $ref !== undefined; $ref = this.#references.pop()) {
      const target = this.#convert(targetOf(this.document.root, { $ref }));
      this.schemas.set(this.#toId($ref), { schema: target, pointer: toPointer($ref) });
    }
    const text = JSON.stringify(converted);
    if (text === 'true' || text === '{}') return undefined;
    const { $ref, ...rest } = asObject(converted);
    const isReference = typeof $ref === 'string' && Object.keys(rest).length === 0;
    const id = isReference ? $ref : this.#toId(text, pointer);
    if (!isReference) this.schemas.set(id, { schema: converted, pointer });
    let compiled: Validator | undefined;
    const validate: Validator = (data) => {
      this.#compile ??= createCompiler(this.schemas);
      compiled ??= this.#compile(id);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    if (!this.validators.has(id)) this.validators.set(id, validate);
    return this.validators.get(id);
  }

  /** Writes a module that exports the validators, each by its ID. */
  toModule(runtime: string): string {
    return writeValidators(this.schemas, [...this.validators.keys()], runtime);
  }

  /** @param key the reference to a target, or the text of any other schema */
  #toId(key: string, pointer: Pointer = toPointer(key)): string {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const [first, ...names] = toNames(pointer);
    const words = names.slice(first === 'components' ? 1 : 0).join(' ');
    // An ID is a URI for Ajv, and the name of an export.
    const id = this.#names.take(`is${toTypeName(words.replaceAll(/\W+/g, ' '))}`);
    this.#ids.set(key, id);
    return id;
  }

  /** @param parents schemas for the same value that contain this one, which may require their properties */
  #convert(schema: unknown, parents: readonly JsonObject[] = []): AnySchema {
    // `checkSchemas` rejects anything that is not a schema.
    if (!isObject(schema)) return schema as AnySchema;
    // JSON Schema allows an empty list, and Ajv does not.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const kept = this.#convertKeyword(keyword, value, [...parents, schema]);
      if (kept !== undefined) converted[keyword] = kept;
    }
    const tag = asObject(schema.discriminator).propertyName;
    const isTagged = 'oneOf' in converted && typeof tag === 'string' && this.#isTagged(schema, tag);
    if (!isTagged) return converted;
    return { ...converted, type: 'object', discriminator: { propertyName: tag } };
  }

  /** Returns `undefined` for a keyword without effect, or one that is not checked. */
  #convertKeyword(keyword: string, value: unknown, owners: readonly JsonObject[]): unknown {
    if (VALUE.has(keyword)) return value;
    const { document } = this;
    const at = document.pointerTo(owners.at(-1), keyword);
    switch (keyword) {
      case '$ref':
        if (/^#(?:\/|$)/.test(String(value))) {
          if (!this.#ids.has(String(value))) this.#references.push(String(value));
          return this.#toId(String(value));
        }
        return document.warn(at, 'A reference to an $anchor is not checked. Use a JSON Pointer.');
      case '$dynamicRef':
        return document.warn(at, 'A $dynamicRef is not checked. Use $ref.');
      case 'pattern':
        return this.#isPattern(String(value), at) ? value : undefined;
      case 'patternProperties': {
        const entries = entriesOf(value).filter(([name]) => this.#isPattern(name, at));
        return Object.fromEntries(entries.map(([name, schema]) => [name, this.#convert(schema)]));
      }
      case 'additionalProperties': {
        const { patternProperties } = asObject(owners.at(-1));
        if (!Object.keys(asObject(patternProperties)).every(isPattern)) return undefined;
        break;
      }
      case 'required':
        if (!Array.isArray(value)) return value;
        return value.filter((name) => !owners.some((owner) => this.#isHidden(owner, name)));
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
        return typeof value === 'boolean' ? undefined : value;
    }
    const parents = COMPOSITIONS.test(keyword) ? owners : [];
    const converted = mapSubschemas(keyword, value, (schema) => this.#convert(schema, parents));
    const strict = STRICT.test(keyword) ? [value].flat() : [];
    if (UNEVALUATED.test(keyword)) strict.push(owners.at(-1));
    return strict.every((part) => this.#isComplete(part)) ? converted : undefined;
  }

  /** Whether nothing that a schema consists of, or refers to, is left out. */
  #isComplete(schema: unknown): boolean {
    const { root } = this.document;
    // Each schema, and the one from which it was reached. Grows while it is read.
    const reached = new Map<unknown, unknown>([[schema, undefined]]);
    for (const [part] of reached) {
      const known = this.#complete.get(part);
      if (!isObject(part) || known === true) continue;
      const target = targetOf(root, part);
      const patterns = [part.pattern ?? '', ...Object.keys(asObject(part.patternProperties))];
      const isUnresolved = '$ref' in part && target === undefined;
      const isChecked = !isUnresolved && !('$dynamicRef' in part) && patterns.every(isPattern);
      if (known === false || !isChecked) {
        for (let at: unknown = part; at; at = reached.get(at)) this.#complete.set(at, false);
        return false;
      }
      for (const other of [...subschemasOf(part), target]) {
        if (!reached.has(other)) reached.set(other, part);
      }
    }
    for (const part of reached.keys()) this.#complete.set(part, true);
    return true;
  }

  /** The mark may be in `allOf` or behind a `$ref`. */
  #isHidden(schema: JsonObject, name: unknown): boolean {
    const { root } = this.document;
    return propertiesOf(root, schema, ALL_OF).some(
      ([key, property]) => key === name && isMarked(root, property, this.#hidden),
    );
  }

  #isPattern(pattern: string, pointer: Pointer): boolean {
    if (isPattern(pattern)) return true;
    const text = JSON.stringify(pattern);
    const message = `${text} is not a valid JavaScript regular expression, so it is not checked.`;
    this.document.warn(pointer, `${message} Change it.`);
    return false;
  }

  /**
   * A discriminator never changes what is valid. Ajv's keyword only checks the schema that the tag selects, so its
   * errors are more precise. It requires objects whose tags are different constants.
   */
  #isTagged({ oneOf }: JsonObject, tag: string): boolean {
    const tags = toList(oneOf).flatMap((member) => {
      const { $ref, ...siblings } = asObject(member);
      const target = asObject($ref === undefined ? member : targetOf(this.document.root, { $ref }));
      const property = asObject(asObject(target.properties)[tag]);
      const isRequired = toList(target.required).includes(tag) && !this.#isHidden(target, tag);
      const hasSiblings = $ref !== undefined && Object.keys(siblings).length > 0;
      if (hasSiblings || target.type !== 'object' || !isRequired) return [undefined];
      return 'const' in property ? [property.const] : (property.enum ?? [undefined]);
    });
    // Ajv keeps the tags as the names of an object.
    const isTag = (value: unknown) => typeof value === 'string' && value !== '' && !(value in {});
    return tags.length > 0 && tags.every(isTag) && new Set(tags).size === tags.length;
  }
}

function isPattern(pattern: unknown): boolean {
  try {
    new RegExp(String(pattern));
    return true;
  } catch {
    return false;
  }
}
