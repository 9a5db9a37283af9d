import { expect, it } from 'vitest';
import { constant, toErrorTable, toReadonlyType } from './contract-source.ts';

it('writes a constant with its description', () => {
  expect(constant('LIMIT', 'Most items.', 50)).toBe(
    '/** Most items. */\nexport const LIMIT = 50 as const;',
  );
});

it('keeps the fields of an error that are needed at run time', () => {
  const row = { code: 'BUSY', status: 503, message: 'Busy.', retryAfter: 1, retry: 'any' };
  expect(toErrorTable([row])).toEqual({ BUSY: { status: 503, message: 'Busy.', retryAfter: 1 } });
});

it('writes a type of nested names, without $schema', () => {
  const schema = {
    required: ['headers'],
    properties: {
      $schema: {},
      name: { description: 'For people.' },
      headers: { required: ['time'], properties: { time: {} } },
    },
  };
  expect(toReadonlyType(schema)).toBe(`{
  /** For people. */
  readonly name?: string;
  readonly headers: {
    readonly time: string;
  };
}`);
});
