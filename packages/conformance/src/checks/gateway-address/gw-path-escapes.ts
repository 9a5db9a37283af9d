import { array, constantFrom } from 'fast-check';
import { defineCheck } from '../check.ts';
import { forAll } from '../support/for-all.ts';
import { expectPath } from './expect-path.ts';

/** What a path may be made of; the first is no escape, so that no segment is only dots. */
const PIECES = ['a', '%2F', '%2f', '%25', '%20', '%41', '%7E', '%3F', '%E4%B8%AD', '%FF', '/x'];

export const gwPathEscapes = defineCheck('GW-PATH-ESCAPES', ['fixture'], async (t) => {
  await expectPath(t, [
    '/a%2Fb',
    '/a%2fb/%2F',
    '/%E4%B8%AD%E6%96%87/%e4%b8%ad',
    '/%25/%252F/100%25',
    '/a%20b+c',
    '/%41%7A%30%7E%2D/~',
    '/%3Fa%3D1%23b',
    '/%5C%3B%3A%40%26%3D%2B%24%2C',
    '/%FF%FE%80',
  ]);
  const generated = array(constantFrom(...PIECES), { minLength: 1, maxLength: 12 });
  await forAll(t, generated, async (pieces, expect) => {
    const path = `/a${pieces.join('')}`;
    const exchange = await t.gateway.call({ path });
    const target = t.fixture.readEcho(exchange)?.target;
    const came = target ?? `an answer of ${exchange.received.status}`;
    const message = `GET ${path}: the service must get ${path}, not ${came}`;
    expect(target === path, message, exchange);
  });
});
