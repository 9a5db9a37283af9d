import { defineSignatureCheck, type NamedSignedCalls } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

/** Query strings as they may be sent; each is signed just so. */
const SENT = [
  'a=1',
  'b=2&a=1',
  'a=2&a=1',
  'a',
  'a=',
  'a=1&&b==2&',
  'a=%20+b',
  'a=%E4%B8%AD&%e4%b8%ad=1',
  'a=/b?c',
  "a=~!'()*,;:@$",
  'a%5B%5D=1',
];

/** Query strings that are much like the one that was signed. */
const SIGNED_AND_SENT: Record<string, readonly [signed: string, sent: string]> = {
  'for another value': ['a=1', 'a=2'],
  'without a query': ['', 'a=1'],
  'without the last parameter': ['a=1', 'a=1&b=2'],
  'in another order': ['a=1&b=2', 'b=2&a=1'],
  'with + for %20': ['a=1+2', 'a=1%202'],
  'with the escape decoded': ['a=A', 'a=%41'],
  'with the escape in small letters': ['a=%2f', 'a=%2F'],
  'with an equals sign more': ['a=', 'a'],
  'with a name once that is sent twice': ['a=1', 'a=1&a=2'],
};

export const auTc3Query = defineSignatureCheck('AU-TC3-QUERY', (_, mark) => {
  const post = { headers: [JSON_TYPE], body: '{"a":1}' };
  const good: NamedSignedCalls = {};
  for (const query of SENT) good[`GET with ?${query}`] = { path: `/query?${query}` };
  good['POST with ?b=2&a=%E4%B8%AD'] = { ...post, path: '/query?b=2&a=%E4%B8%AD' };
  const bad: NamedSignedCalls = {};
  for (const [what, [signed, sent]] of Object.entries(SIGNED_AND_SENT)) {
    const query = [signed, `mark=${mark}`].filter((one) => one !== '').join('&');
    const call = { path: `/query?${sent}&mark=${mark}`, instead: { query } };
    bad[`GET with ?${sent} signed ${what}`] = call;
    if (what === 'for another value')
      bad[`POST with ?${sent} signed ${what}`] = { ...post, ...call };
  }
  bad['GET with a query signed without any'] = {
    path: `/query?mark=${mark}`,
    instead: { query: '' },
  };
  return { good, bad };
});
