import { expect, test } from 'vitest';
import { toSentence } from './run-workflows.ts';

test('for a body that violates its schema, the failing line is shown', () => {
  const frame = [
    '\u001b[0m',
    '\u001b[31m\u001b[1mTYPE\u001b[22m\u001b[39m\u001b[31m must be string\u001b[39m',
    '',
    ' \u001b[90m 3 |\u001b[39m   "body": {',
    '\u001b[31m\u001b[1m>\u001b[22m\u001b[39m\u001b[90m 4 |\u001b[39m     "requestId": 1,',
    ' \u001b[90m   |\u001b[39m          \u001b[31m\u001b[1m^\u001b[22m\u001b[39m 👈🏽  type must be string',
    ' \u001b[90m 5 |\u001b[39m     "data": {\u001b[0m',
    '',
    'REQUIRED must have required property z',
    '',
    '> 12 | {}',
    '     | ^ ☹️  z is missing here!',
  ];
  expect(toSentence(frame.join('\n'))).toBe(
    'TYPE must be string at "requestId": 1, REQUIRED must have required property z at {}',
  );
});

test('any other message is reduced to one line', () => {
  expect(toSentence('\u001b[2mValid are\u001b[22m \n\nin the list:\n  200\nReceived:\n  500')).toBe(
    'Valid are in the list: 200 Received: 500',
  );
});
