import { defineSignatureCheck, type NamedSignedCalls } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

/** Paths as they may be sent; each is signed just so. */
const SENT = [
  '',
  '/a/b',
  '/a//b',
  '/a/',
  '/a%2Fb',
  '/a%2fb',
  '/%E4%B8%AD%E6%96%87',
  '/%e4%b8%ad',
  '/a%20b',
  "/a+b~c!d'e(f)*g",
  '/a:b@c;d=e,f$g&h',
];

/** Paths that are much like the one that was signed. */
const SIGNED_AND_SENT: Record<string, readonly [signed: string, sent: string]> = {
  'for another path': ['/a/b', '/a/c'],
  'for the path above': ['/a', '/a/b'],
  'for the root': ['', '/a'],
  'without the slash at the end': ['/a/b', '/a/b/'],
  'with one slash for two': ['/a/b', '/a//b'],
  'with the escape decoded': ['/a/A', '/a/%41'],
  'with a letter escaped': ['/a/%41', '/a/A'],
  'with the slash decoded': ['/a/b', '/a%2Fb'],
  'with the escape in small letters': ['/a%2fb', '/a%2Fb'],
  'with the escape escaped': ['/a%252Fb', '/a%2Fb'],
  'in small letters': ['/a/b', '/A/b'],
};

export const auTc3Path = defineSignatureCheck('AU-TC3-PATH', (_, mark) => {
  const post = { headers: [JSON_TYPE], body: '{"a":1}' };
  const good: NamedSignedCalls = {};
  for (const path of SENT) good[`GET of ${path || 'the root'}`] = { path };
  good['POST to /%E4%B8%AD%E6%96%87/a%2Fb'] = { ...post, path: '/%E4%B8%AD%E6%96%87/a%2Fb' };
  const bad: NamedSignedCalls = {};
  for (const [what, [signed, sent]] of Object.entries(SIGNED_AND_SENT)) {
    const call = { path: `${sent}?mark=${mark}`, instead: { path: signed } };
    bad[`GET of ${sent} signed ${what}`] = call;
    if (what === 'for another path') bad[`POST to ${sent} signed ${what}`] = { ...post, ...call };
  }
  return { good, bad };
});
