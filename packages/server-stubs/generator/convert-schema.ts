/** Converts schemas of a document to what Ajv validates. */
import type { AnySchema } from 'ajv';
import {
  asObject,
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  reachable,
  targetOf,
  toList,
} from './json.ts';
import type { OpenApiDocument } from './openapi.ts';
import {
  type Annotation,
  KEYWORDS,
  mapSubschemas,
  partsInAllOf,
  propertiesOf,
  remember,
  subschemasOf,
  visitSchemas,
} from './subschemas.ts';

export interface ConvertedSchema {
  readonly schema: AnySchema;
  /** The schema and those in it that have a `$ref`, which is still the one in the document. */
  readonly references: readonly JsonObject[];
}

/** Keywords without schemas that are passed to Ajv as is. */
const VALUES = new Set(
  `$ref type enum const multipleOf maximum minimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties`.split(/\s+/),
);

export class SchemaConverter {
  readonly #document: OpenApiDocument;
  readonly #hidden: Annotation;
  readonly #incomplete: ReadonlySet<JsonObject>;
  /** Incomplete schemas whose unsupported keywords have caused warnings. */
  readonly #reported = new Set<JsonObject>();

  /** @param hidden the annotation of properties that do not occur in this direction, and so cannot be required */
  constructor(document: OpenApiDocument, hidden: Annotation) {
    this.#document = document;
    this.#hidden = hidden;
    this.#incomplete = findIncomplete(document.root);
  }

  /**
   * Drops what Ajv cannot check, with a warning, or the entire schema if it would then reject valid values. Also drops
   * annotations, which may look like schemas. For example:
   *
   * `{ type: 'string', title: 'Code', pattern: '(?i)a' }` → `{ type: 'string' }`
   * `{ type: 'string', not: { pattern: '(?i)b' } }` → `true`
   *
   * @param pointer where the schema is, for warnings
   */
  convert(schema: unknown, pointer: Pointer): ConvertedSchema {
    const references: JsonObject[] = [];
    return { schema: this.#convert(schema, pointer, new Set(), references), references };
  }

  /**
   * @param inherited names that the schemas around this one hide, if they are for the same value. In requests:
   *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['id', 'name'] }] }` →
   *   `{ properties: { id: { readOnly: true } }, allOf: [{ required: ['name'] }] }`
   * @param references to which converted schemas with a `$ref` are added
   */
  #convert(
    schema: unknown,
    pointer: Pointer,
    inherited: ReadonlySet<string>,
    references: JsonObject[],
  ): AnySchema {
    // `checkSchemas` rejects anything that is not a schema.
    if (!isObject(schema)) return schema as AnySchema;
    // JSON Schema allows an empty list, and Ajv does not.
    if (Array.isArray(schema.enum) && schema.enum.length === 0) return false;
    if (!this.#canBeChecked(schema, pointer)) return true;
    const unsupported = findUnsupported(schema, this.#document.root);
    for (const [keyword, message] of unsupported) {
      this.#document.warn(join(pointer, keyword), message);
    }
    const hiddenNames = new Set([...inherited, ...this.#hiddenNamesOf(schema)]);
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (unsupported.some(([name]) => name === keyword)) continue;
      const result = this.#convertKeyword(keyword, value, pointer, hiddenNames, references);
      if (result !== undefined) converted[keyword] = result;
    }
    const complete = this.#addDiscriminator(converted, schema, pointer);
    if (complete.$ref !== undefined) references.push(complete);
    return complete;
  }

  /** Returns `undefined` if Ajv does not need the keyword. */
  #convertKeyword(
    keyword: string,
    value: unknown,
    pointer: Pointer,
    hiddenNames: ReadonlySet<string>,
    references: JsonObject[],
  ): unknown {
    const toVisible = (names: unknown) =>
      Array.isArray(names) ? names.filter((name) => !hiddenNames.has(name)) : names;
    switch (keyword) {
      case 'required':
        return toVisible(value);
      case 'dependentRequired':
        return Object.fromEntries(entriesOf(value).map(([name, list]) => [name, toVisible(list)]));
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        // Loading warns about `exclusiveMinimum: true`, which many documents keep from OpenAPI 3.0.
        return typeof value === 'boolean' ? undefined : value;
      default: {
        if (VALUES.has(keyword)) return value;
        const applies = KEYWORDS.get(keyword)?.applies;
        const isSameValue = applies !== 'other' && applies !== 'test';
        const inherited = isSameValue ? hiddenNames : new Set<string>();
        return mapSubschemas(keyword, value, (part, location) =>
          this.#convert(part, join(pointer, ...location), inherited, references),
        );
      }
    }
  }

  /** The names of hidden properties, in a schema, through its `$ref` or in its `allOf`. */
  readonly #hiddenNamesOf = remember((schema): ReadonlySet<string> => {
    const { schemas } = this.#document;
    const names = entriesOf(schema.properties)
      .filter(([, property]) => schemas.annotationsOf(property).has(this.#hidden))
      .map(([name]) => name);
    const inParts = schemas.partsOf(schema).flatMap((part) => [...this.#hiddenNamesOf(part)]);
    return new Set([...names, ...inParts]);
  });

  /**
   * Whether a schema rejects no valid value once everything unsupported in it, and in what it refers to, is dropped. If
   * not, warns about each of these parts.
   */
  #canBeChecked(schema: JsonObject, pointer: Pointer): boolean {
    const fragile = Object.keys(schema).find((keyword) => KEYWORDS.get(keyword)?.needsAllParts);
    if (fragile === undefined || !this.#incomplete.has(schema)) return true;
    const { root } = this.#document;
    const isUnreported = (part: JsonObject) =>
      this.#incomplete.has(part) && !this.#reported.has(part);
    const parts = reachable([schema], (part) => allPartsOf(part, root).filter(isUnreported));
    for (const part of parts) {
      this.#reported.add(part);
      for (const [keyword, message] of findUnsupported(part, root)) {
        this.#document.warn(this.#document.pointerTo(part, keyword), message);
      }
    }
    const reason = `it has ${fragile}, and contains or refers to something that is not supported`;
    this.#document.warn(pointer, `This schema is not checked, because ${reason}.`);
    return false;
  }

  /**
   * Adds Ajv's `discriminator`, which never changes what is valid. It only checks the schema that the tag selects, so its
   * errors are more precise. Ajv accepts it if the alternatives are objects whose tags are different constants.
   */
  #addDiscriminator(converted: JsonObject, schema: JsonObject, pointer: Pointer): JsonObject {
    const { root, schemas } = this.#document;
    const tag = asObject(schema.discriminator).propertyName;
    if (typeof tag !== 'string') return converted;
    const alternatives = toList(schema.oneOf ?? schema.anyOf).map(asObject);
    // An alternative that allows only `null` has no tag.
    const objects = alternatives.filter((part) => [...schemas.typesOf(part)].join() !== 'null');
    const tags = objects.map((part) => {
      return this.#hiddenNamesOf(part).has(tag) ? [] : tagsOf(root, part, tag);
    });
    if (tags.length === 0 || tags.some(({ length }) => length === 0)) {
      const message = `The values of ${JSON.stringify(tag)} are not checked. Use oneOf, with objects that require a const or enum of it.`;
      this.#document.warn(join(pointer, 'discriminator'), message);
      return converted;
    }
    const values = tags.flat();
    const isUnique = new Set(values).size === values.length;
    const isComplete = objects.length === alternatives.length;
    // Ajv uses tags as property names.
    const isNamed = values.every(
      (value) => typeof value === 'string' && value !== '' && !(value in {}),
    );
    if (!isUnique || !isComplete || !isNamed || !('oneOf' in converted)) return converted;
    // Ajv looks for tags neither in `allOf` nor beside `$ref`.
    const oneOf = toList(converted.oneOf).map((part, index) => {
      return { required: [tag], properties: { [tag]: { enum: tags[index] } }, allOf: [part] };
    });
    return { ...converted, oneOf, type: 'object', discriminator: { propertyName: tag } };
  }
}

/** The schemas that contain, or refer to, something that Ajv cannot check. */
function findIncomplete(root: JsonObject): ReadonlySet<JsonObject> {
  const schemas: JsonObject[] = [];
  visitSchemas(root, (schema) => schemas.push(schema));
  const uses = [...reachable(schemas, (schema) => allPartsOf(schema, root))].flatMap((user) => {
    return allPartsOf(user, root).map((part) => ({ part, user }));
  });
  const usesByPart = Map.groupBy(uses, ({ part }) => part);
  const unsupported = schemas.filter((schema) => findUnsupported(schema, root).length > 0);
  return reachable(unsupported, (part) => (usesByPart.get(part) ?? []).map(({ user }) => user));
}

function allPartsOf(schema: JsonObject, root: JsonObject): JsonObject[] {
  return [...subschemasOf(schema), targetOf(root, schema)].filter(isObject);
}

/** Keywords of a schema, without its subschemas, that Ajv cannot check, and why. */
function findUnsupported(schema: JsonObject, root: JsonObject): [keyword: string, why: string][] {
  const problems: [string, string][] = [];
  if ('$dynamicRef' in schema) {
    problems.push(['$dynamicRef', 'A $dynamicRef is not checked. Use $ref.']);
  }
  if ('$ref' in schema && targetOf(root, schema) === undefined) {
    problems.push(['$ref', 'A reference to an $anchor is not checked. Use a JSON Pointer.']);
  }
  const names = Object.keys(asObject(schema.patternProperties));
  for (const pattern of [String(schema.pattern ?? ''), ...names]) {
    if (isPattern(pattern)) continue;
    const keyword = names.includes(pattern) ? 'patternProperties' : 'pattern';
    const problem = 'is not a valid JavaScript regular expression without flags';
    const message = `${JSON.stringify(pattern)} ${problem}, so it is not checked. Rewrite it.`;
    problems.push([keyword, message]);
  }
  return problems;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
  } catch {
    return false;
  }
  // Without the flag `u`, `\p{L}` matches `p{L}`.
  return !/(?<!\\)(?:\\\\)*\\[pPu]\{/.test(text);
}

/** The tags that an alternative allows, or none if it is not an object that requires a constant. */
function tagsOf(root: JsonObject, alternative: JsonObject, tag: string): unknown[] {
  const parts = partsInAllOf(root, alternative);
  const isObjectOnly = parts.some(({ type }) => type === 'object');
  const isRequired = parts.some(({ required }) => toList(required).includes(tag));
  if (!isObjectOnly || !isRequired) return [];
  return partsInAllOf(root, propertiesOf(parts).get(tag)).flatMap((part) => {
    return 'const' in part ? [part.const] : toList(part.enum);
  });
}
