/**
 * When the schemas of a keyword apply to the value that contains it: always (`allOf`), as an alternative (`anyOf`), on
 * a condition (`then`), as a test that requires nothing (`if`), or not at all (`items`, which describes other values).
 */
export type Scope = 'always' | 'alternative' | 'condition' | 'test' | 'other';

interface Keyword {
  /** One schema (`not`), a list of schemas (`allOf`), or schemas by name (`properties`). */
  readonly takes: 'schema' | 'list' | 'map';
  readonly scope: Scope;
  /**
   * If a part is not checked, most keywords accept more, but these may reject valid values: in
   * `oneOf: [{ pattern: '(?i)a' }, { maxLength: 9 }]`, both schemas match `b` once the pattern is dropped.
   */
  readonly needsAllParts?: true;
}

/** All keywords that take schemas. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['allOf', { takes: 'list', scope: 'always' }],
  ['anyOf', { takes: 'list', scope: 'alternative' }],
  ['oneOf', { takes: 'list', scope: 'alternative', needsAllParts: true }],
  ['then', { takes: 'schema', scope: 'condition' }],
  ['else', { takes: 'schema', scope: 'condition' }],
  ['dependentSchemas', { takes: 'map', scope: 'condition' }],
  ['if', { takes: 'schema', scope: 'test', needsAllParts: true }],
  ['not', { takes: 'schema', scope: 'test', needsAllParts: true }],
  ['contains', { takes: 'schema', scope: 'other', needsAllParts: true }],
  ['unevaluatedItems', { takes: 'schema', scope: 'other', needsAllParts: true }],
  ['unevaluatedProperties', { takes: 'schema', scope: 'other', needsAllParts: true }],
  ['items', { takes: 'schema', scope: 'other' }],
  ['prefixItems', { takes: 'list', scope: 'other' }],
  ['properties', { takes: 'map', scope: 'other' }],
  ['patternProperties', { takes: 'map', scope: 'other', needsAllParts: true }],
  ['additionalProperties', { takes: 'schema', scope: 'other' }],
  ['propertyNames', { takes: 'schema', scope: 'other' }],
]);

/** Keywords without schemas, which are passed to Ajv as is. */
export const VALUES = new Set(
  `type enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required
  dependentRequired`.split(/\s+/),
);
