import type { ClientRuleId } from '../../generated/rule-ids.gen.ts';
import type { Received } from '../deployment.ts';
import {
  fails,
  get,
  type Problems,
  post,
  type Scenario,
  SERVICE,
  scenario,
  succeeds,
} from '../scenario.ts';

const BASE = `/v1/cloudrun/${SERVICE}`;

/** Paths that must be sent exactly as the caller wrote them. */
const VERBATIM: readonly [rule: ClientRuleId, about: string, path: string][] = [
  ['CL-PATH-SEGMENTS', 'a path with three segments', 'orders/7/items'],
  ['CL-PATH-ESCAPES', 'an encoded slash', 'files/a%2Fb'],
  ['CL-PATH-ESCAPES', 'an encoded percent sign', 'files/100%25'],
  ['CL-PATH-ESCAPES', 'encoded Chinese characters', 'files/%E4%B8%AD%E6%96%87'],
  ['CL-PATH-ESCAPES', 'an encoded letter and lower-case hex digits', 'files/%41%c3%a9'],
  ['CL-PATH-ESCAPES', 'an encoded question mark and number sign', 'files/a%3Fb%23c'],
  ['CL-PATH-SLASHES', 'an empty segment', 'a//b'],
  ['CL-PATH-SLASHES', 'a slash at the end', 'a/b/'],
  ['CL-QUERY-RAW', 'repeated parameters', 'search?b=2&a=1&b=1'],
  ['CL-QUERY-RAW', 'a plus, an encoded plus and an encoded space', 'search?q=a+b%2Bc%20d'],
  ['CL-QUERY-RAW', 'an encoded ampersand and an encoded slash', 'search?q=a%26b%2Fc&d=e/f'],
  ['CL-QUERY-RAW', 'a parameter without a value', 'search?flag&empty=&x'],
];

/** Paths that HTTP does not allow, and the same paths when encoded. */
const ENCODED: readonly [about: string, path: string, sent: string][] = [
  ['a space', 'files/my file', 'files/my%20file'],
  ['Chinese characters', 'files/中文', 'files/%E4%B8%AD%E6%96%87'],
  ['an emoji', 'files/🚀', 'files/%F0%9F%9A%80'],
];

const DOTS = ['../other/secret', 'a/../../other', '%2e%2e/other', 'a/./b', 'a/%2E%2e/b'];

/** How the path and the query of a call are sent. */
export const paths: readonly Scenario[] = [
  ...VERBATIM.map(([rule, about, path]) =>
    scenario(rule, about, get(path)).expect((seen) => [
      succeeds(seen),
      hasTarget(seen.gateway, `${BASE}/${path}`),
    ]),
  ),
  scenario('CL-PATH-SEGMENTS', 'a POST to a path with two segments', post('orders/7', {})).expect(
    ({ gateway }) => hasTarget(gateway, `${BASE}/orders/7`),
  ),
  ...ENCODED.map(([about, path, sent]) =>
    scenario('CL-PATH-UNICODE', about, get(path)).expect(({ gateway, result }) =>
      gateway.length === 0 && result === undefined
        ? undefined
        : hasTarget(gateway, `${BASE}/${sent}`),
    ),
  ),
  ...DOTS.map((path) =>
    scenario('CL-PATH-DOTS', `the path ${path}`, get(path)).expect((seen) =>
      seen.all.length === 0 ? fails(seen) : hasTarget(seen.gateway, `${BASE}/${path}`),
    ),
  ),
  ...[get(''), post('', {})].map((task) =>
    scenario('CL-PATH-ROOT', `a ${'method' in task && task.method} without a path`, task).expect(
      ({ gateway }) => hasTarget(gateway, BASE, `${BASE}/`),
    ),
  ),
];

function hasTarget([request]: readonly Received[], ...expected: readonly string[]): Problems {
  if (request === undefined) return 'the call was not sent';
  if (expected.includes(request.target)) return undefined;
  return { message: `${request.target} was sent in place of ${expected[0]}`, request };
}
