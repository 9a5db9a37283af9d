import { expect, test } from 'vitest';
import { describeViolation } from './violation.ts';

const body = { fileList: [{ fileID: 4 }], 'a/b': [] };

test.each([
  [
    {
      path: ['body', 'fileList', '0', 'fileID'],
      message: 'Request body property … must be string',
    },
    'fileList[0].fileID must be a string, got a number.',
  ],
  [
    { path: ['body', 'fileList', '0'], message: "… must have required property 'maxAge'" },
    'fileList[0].maxAge is missing: it is required.',
  ],
  [{ path: ['body', 'a~1b'], message: '… must be object' }, 'a/b must be an object, got an array.'],
  [{ path: ['body'], message: '… must be array' }, 'The body must be an array, got an object.'],
  [
    { path: ['path', 'name'], message: 'Request path parameter name must match pattern "^a$"' },
    'name must match pattern "^a$".',
  ],
])('%j', (violation, sentence) => {
  expect(describeViolation(violation, body)).toBe(sentence);
});

test.each([
  [undefined, 'The body is missing: send a JSON object.'],
  [null, 'The body must be an object, got null.'],
  [0, 'The body must be an object, got a number.'],
  [false, 'The body must be an object, got a boolean.'],
])('a body of %j', (value, sentence) => {
  const violation = { code: 'required', message: 'Body parameter is required' };
  expect(describeViolation(violation, value)).toBe(sentence);
});
