import { describe, expect, it } from 'vitest';
import { readXmlError } from './upload.ts';

describe('readXmlError', () => {
  it('reads the known child elements', () => {
    const xml =
      '<?xml version="1.0" encoding="UTF-8"?>\n<Error>\n  <Code>AccessDenied</Code>\n' +
      '  <Message>The grant has expired.</Message>\n  <RequestId>r-1</RequestId>\n</Error>';
    expect(readXmlError(xml)).toEqual({
      Code: 'AccessDenied',
      Message: 'The grant has expired.',
      RequestId: 'r-1',
    });
  });

  it.each([
    ['nothing', ''],
    ['text', 'Error'],
    ['JSON', '{"Error":{"Code":"x"}}'],
    ['a success', '<PostResponse><Key>&lt;Error&gt;</Key></PostResponse>'],
    ['another element', '<Errors><ErrorCode>x</ErrorCode></Errors>'],
    ['a comment', '<A><!-- <Error> --></A>'],
    ['CDATA', '<A><![CDATA[<Error></Error>]]></A>'],
    ['a comment that breaks off', '<A><!-- <Error>'],
  ])('finds no Error element in %s', (_, text) => {
    expect(readXmlError(text)).toBeUndefined();
  });

  it.each([
    ['empty', '<Error/>'],
    ['empty with attributes', '<Error a="1" />'],
    ['without known children', '<Error><Other>x</Other></Error>'],
    ['inside a root', '<Answer><Error></Error></Answer>'],
  ])('finds one that is %s', (_, text) => {
    expect(readXmlError(text)).toEqual({});
  });

  it('ignores prefixes and attributes', () => {
    const xml = '<s3:Error xmlns:s3="urn:x"><s3:Code lang="en">A</s3:Code></s3:Error>';
    expect(readXmlError(xml)).toEqual({ Code: 'A' });
  });

  it('decodes references once and leaves unknown ones', () => {
    const xml =
      '<Error><Message>&lt;a&gt; &amp;lt; &#20320;&#x597d; &#x110000; &constructor;</Message></Error>';
    expect(readXmlError(xml)?.Message).toBe('<a> &lt; 你好 &#x110000; &constructor;');
  });

  it('reads CDATA as text', () => {
    const xml = '<Error><Message><![CDATA[a <b> & &lt;]]></Message></Error>';
    expect(readXmlError(xml)?.Message).toBe('a <b> & &lt;');
  });

  it('reads as much as possible of an incomplete document', () => {
    expect(readXmlError('<Error><Code>SlowDown</Code><Mess')).toEqual({ Code: 'SlowDown' });
  });

  it('looks only inside the Error element', () => {
    expect(readXmlError('<A><Code>1</Code><Error></Error><Message>2</Message></A>')).toEqual({});
  });

  // Quadratic time would exceed the limit of a test by far.
  it('reads hostile text in linear time', () => {
    expect(readXmlError('<Error '.repeat(1_000_000))).toBeUndefined();
    expect(readXmlError('<!--'.repeat(1_000_000))).toBeUndefined();
    expect(readXmlError(`<Error>${'<Code>'.repeat(1_000_000)}`)).toBeDefined();
  });
});
