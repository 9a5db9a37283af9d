import { XMLParser } from 'fast-xml-parser';
import { expect, test } from 'vitest';
import { toErrorXml } from '../errors.ts';

const parse = (xml: string) =>
  new XMLParser({ ignoreDeclaration: true, trimValues: false, parseTagValue: false }).parse(xml);

test('writes one element for each entry, in their order', () => {
  expect(toErrorXml({ Code: 'AccessDenied', Message: 'Expired.' })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><Error><Code>AccessDenied</Code><Message>Expired.</Message></Error>',
  );
});

test.each([
  '<Error>',
  '</Message><Code>SUCCESS',
  'a & b &lt;',
  ']]>',
  '"quoted"',
  '中文 😀',
  ' a\tb\n',
])('text comes back as it was: %s', (text) => {
  expect(parse(toErrorXml({ Message: text }))).toEqual({ Error: { Message: text } });
});

test.each(['\u0000', '\u001B', '\uD800', '\uFFFF'])('what XML cannot hold is replaced', (text) => {
  expect(toErrorXml({ Message: text })).toContain('<Message>\uFFFD</Message>');
});
