/**
 * When the schemas of a keyword apply to the value that contains it: always (`allOf`), as an alternative (`anyOf`), on
 * a condition (`then`), as a test that requires nothing (`if`), or not at all (`items`, which describes other values).
 */
export type Applies = 'always' | 'alternative' | 'condition' | 'test' | 'other';

interface Keyword {
  /** One schema (`not`), a list of schemas (`allOf`), or schemas by name (`properties`). */
  readonly contains: 'schema' | 'list' | 'map';
  readonly applies: Applies;
  /**
   * If a part is not checked, most keywords accept more, but these may reject valid values: in
   * `oneOf: [{ pattern: '(?i)a' }, { maxLength: 9 }]`, both schemas match `b` once the pattern is dropped.
   */
  readonly needsAllParts?: true;
}

/** All keywords that contain schemas. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['allOf', { contains: 'list', applies: 'always' }],
  ['anyOf', { contains: 'list', applies: 'alternative' }],
  ['oneOf', { contains: 'list', applies: 'alternative', needsAllParts: true }],
  ['then', { contains: 'schema', applies: 'condition' }],
  ['else', { contains: 'schema', applies: 'condition' }],
  ['dependentSchemas', { contains: 'map', applies: 'condition' }],
  ['if', { contains: 'schema', applies: 'test', needsAllParts: true }],
  ['not', { contains: 'schema', applies: 'test', needsAllParts: true }],
  ['contains', { contains: 'schema', applies: 'other', needsAllParts: true }],
  ['unevaluatedItems', { contains: 'schema', applies: 'other', needsAllParts: true }],
  ['unevaluatedProperties', { contains: 'schema', applies: 'other', needsAllParts: true }],
  ['items', { contains: 'schema', applies: 'other' }],
  ['prefixItems', { contains: 'list', applies: 'other' }],
  ['properties', { contains: 'map', applies: 'other' }],
  ['patternProperties', { contains: 'map', applies: 'other', needsAllParts: true }],
  ['additionalProperties', { contains: 'schema', applies: 'other' }],
  ['propertyNames', { contains: 'schema', applies: 'other' }],
]);

/** Keywords without schemas that are passed to Ajv as is. `convertKeyword` changes the others. */
export const VALUES = new Set(
  `type enum const multipleOf maximum minimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties`.split(/\s+/),
);
