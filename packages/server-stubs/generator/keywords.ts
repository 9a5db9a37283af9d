interface Keyword {
  /** One schema (`not`), a list of schemas (`allOf`), or schemas by name (`properties`). */
  readonly takes: 'schema' | 'list' | 'map';
  /**
   * When its schemas apply to the same value; `undefined` if they apply to other values, as in `items`. As a test, they
   * require nothing: an object without `a` is valid in `{ if: { required: ['a'] } }`.
   */
  readonly applies?: Application;
  /**
   * What must be checked completely. Without an unsupported part, most keywords accept more, but these reject valid values:
   * in `oneOf: [{ pattern: '(?i)a' }, { maxLength: 9 }]`, both schemas match `b` once the pattern is dropped.
   */
  readonly needs?: 'schemas' | 'siblings';
}

/** How schemas may apply to the value of the schema that contains them. */
export const SAME_VALUE = ['always', 'as alternative', 'conditionally', 'as test'] as const;
export type Application = (typeof SAME_VALUE)[number] | undefined;

/** All keywords that take schemas. */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['allOf', { takes: 'list', applies: 'always' }],
  ['anyOf', { takes: 'list', applies: 'as alternative' }],
  ['oneOf', { takes: 'list', applies: 'as alternative', needs: 'schemas' }],
  ['then', { takes: 'schema', applies: 'conditionally' }],
  ['else', { takes: 'schema', applies: 'conditionally' }],
  ['dependentSchemas', { takes: 'map', applies: 'conditionally' }],
  ['if', { takes: 'schema', applies: 'as test', needs: 'schemas' }],
  ['not', { takes: 'schema', applies: 'as test', needs: 'schemas' }],
  ['contains', { takes: 'schema', needs: 'schemas' }],
  ['unevaluatedItems', { takes: 'schema', needs: 'siblings' }],
  ['unevaluatedProperties', { takes: 'schema', needs: 'siblings' }],
  ['items', { takes: 'schema' }],
  ['prefixItems', { takes: 'list' }],
  ['properties', { takes: 'map' }],
  ['patternProperties', { takes: 'map' }],
  ['additionalProperties', { takes: 'schema' }],
  ['propertyNames', { takes: 'schema' }],
]);

/** Keywords without schemas, which are passed to Ajv as is. */
export const VALUES = new Set(
  `type enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties`.split(/\s+/),
);
