interface Keyword {
  /** One schema (`not`), a list of schemas (`allOf`), or schemas by name (`properties`). */
  readonly takes: 'schema' | 'list' | 'map';
  /**
   * When its schemas apply to the same value; `undefined` if they apply to other values, as in `items`. As a test, they
   * require nothing: an object without `a` is valid in `{ if: { required: ['a'] } }`.
   */
  readonly applies?: Application;
  /** What must be checked completely, or else the keyword rejects valid values: `not: {}` rejects all of them. */
  readonly needs?: 'schemas' | 'siblings';
}

export type Application = 'always' | 'as alternative' | 'conditionally' | 'as test' | undefined;

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

/** Keywords without schemas that Ajv gets as they are. */
export const VALUES = new Set(
  `type enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum format pattern maxLength minLength
  maxItems minItems uniqueItems maxContains minContains maxProperties minProperties`.split(/\s+/),
);

export const ALL_OF: readonly Application[] = ['always'];
export const COMPOSITIONS: readonly Application[] = ['always', 'as alternative'];
export const SAME_VALUE: readonly Application[] = [...COMPOSITIONS, 'conditionally', 'as test'];
