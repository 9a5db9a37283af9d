import { expect, test } from 'vitest';
import { hasErrorElement } from './read-response.ts';

test.each([
  ['<Error><Code>AccessDenied</Code></Error>', true],
  ['\uFEFF<?xml version="1.0"?>\n<a><s3:Error id="1">\n</s3:Error ></a>', true],
  ['<a><Error code="x"/></a>', true],
  ['<Error><Error></Error>', true],
  ['<s3:Error></Error>', false],
  ['</Error><Error>', false],
  ['<Errors></Errors>', false],
  ['<html><Error></Error></html>', false],
  ['{"Error": "<Error></Error>"}', false],
])('whether %j is an error in XML: %s', (text, expected) => {
  expect(hasErrorElement(text)).toBe(expected);
});

test.each(['<Error>', '<Error ', '<a:', '<Error a'])(
  'megabytes of %s are read in linear time',
  (tag) => {
    expect(hasErrorElement(`<a>${tag.repeat(1_000_000)}`)).toBe(false);
  },
);
