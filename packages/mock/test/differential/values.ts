import fc from 'fast-check';
import type { Schema } from '../../src/contract/documents.ts';

/** What of JSON Schema the contract uses and the mock itself does not read. */
type Full = Schema & {
  required?: readonly string[];
  minLength?: number;
  pattern?: string;
};

// Prism puts names into a header, so they are of ASCII.
const TEXT = fc.string({ maxLength: 20 });
const OTHERS = fc.constantFrom<unknown>(null, 0, 1.5, true, '', 'text', [], {}, ['a'], { a: 1 });

/** Values that keep to a schema. */
export function validOf(schema: Full): fc.Arbitrary<unknown> {
  return arbitraryOf(schema, (valid) => valid, 0);
}

/** Values of which parts may be left out, or be of another type. */
export function spoiltOf(schema: Full): fc.Arbitrary<unknown> {
  return arbitraryOf(
    schema,
    (valid) => fc.oneof({ weight: 5, arbitrary: valid }, { weight: 1, arbitrary: OTHERS }),
    0.2,
  );
}

type Spoil = (valid: fc.Arbitrary<unknown>) => fc.Arbitrary<unknown>;

function arbitraryOf(schema: Full, spoil: Spoil, lost: number): fc.Arbitrary<unknown> {
  const { type, oneOf, items, properties = {}, required = [] } = schema;
  if (oneOf) return fc.oneof(...oneOf.map((one) => arbitraryOf(one, spoil, lost)));
  if (type === 'array')
    return spoil(fc.array(arbitraryOf(items ?? {}, spoil, lost), { maxLength: 4 }));
  if (type === 'number') return spoil(fc.integer({ min: -5, max: 1_000_000 }));
  if (type === 'boolean') return spoil(fc.boolean());
  if (type === 'string') return spoil(TEXT);
  const values = Object.entries(properties).map(
    ([name, one]) => [name, arbitraryOf(one, spoil, lost)] as const,
  );
  const whole = fc.record(Object.fromEntries([...values, ['more', TEXT]]), {
    requiredKeys: [...required],
  });
  const partial = fc.record(Object.fromEntries(values), { requiredKeys: [] });
  return spoil(
    lost === 0
      ? whole
      : fc.oneof({ weight: 3, arbitrary: whole }, { weight: 1, arbitrary: partial }),
  );
}
