import type { Mutant } from '../mutant.ts';
import { behind, changeQuery } from './support/behind.ts';
import { fault } from './support/fault.ts';

const rewrite = (breaks: string, change: (query: string) => string): Mutant =>
  fault(
    'GW-QUERY-RAW',
    breaks,
    behind((request) => {
      // The commands of the fixture service stay what they are: a query is rewritten where only it can tell.
      if (!/\/(answer|events|count|closed|release)\?/.test(request.target))
        changeQuery(request, change);
    }),
  );

/** What parsers do to query strings that are read and written again. */
export const queries: readonly Mutant[] = [
  rewrite('a plus becomes an escaped space', (query) => query.replaceAll('+', '%20')),
  rewrite('an escaped space becomes a plus', (query) => query.replaceAll('%20', '+')),
  rewrite('parameters are sorted', (query) => query.split('&').sort().join('&')),
  rewrite('of a repeated parameter the last is kept', (query) => {
    const pairs = query.split('&');
    const nameOf = (pair: string) => pair.split('=')[0];
    return pairs
      .filter(
        (pair, index) => !pairs.slice(index + 1).some((later) => nameOf(later) === nameOf(pair)),
      )
      .join('&');
  }),
  rewrite('a parameter without a value gets an equals sign', (query) =>
    query.replace(/(?<=^|&)[^=&]+(?=&|$)/g, '$&='),
  ),
  rewrite('an equals sign without a value is lost', (query) => query.replace(/=(?=&|$)/g, '')),
  rewrite('a second question mark is escaped', (query) => query.replaceAll('?', '%3F')),
  rewrite('empty pairs are dropped', (query) => query.replace(/&{2,}/g, '&').replace(/^&|&$/g, '')),
  rewrite('a semicolon is taken for an ampersand', (query) => query.replaceAll(';', '&')),
  rewrite('an apostrophe is escaped', (query) => query.replaceAll("'", '%27')),
  rewrite('brackets are escaped', (query) => query.replaceAll('[', '%5B').replaceAll(']', '%5D')),
  rewrite('escaped tildes are decoded', (query) => query.replace(/%7e/gi, '~')),
  rewrite('slashes and colons are escaped', (query) =>
    query.replaceAll('/', '%2F').replaceAll(':', '%3A'),
  ),
  rewrite('escaped slashes are decoded', (query) => query.replace(/%2f/gi, '/')),
  rewrite('escapes are upper-cased', (query) =>
    query.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase()),
  ),
  rewrite('escapes that are no UTF-8 are replaced', (query) =>
    query.replace(/%(ff|80|c0)/gi, '%EF%BF%BD'),
  ),
  fault(
    'GW-QUERY-RAW',
    'it is lost where the path is left out',
    behind((request) => {
      if (/^\/v1\/cloudrun\/[^/]+\/?$/.test(request.path)) request.target = request.path;
    }),
  ),
  fault(
    'GW-QUERY-RAW',
    'it is lost on POST',
    behind((request) => {
      if (request.method === 'POST' && !/\/(answer|events)/.test(request.path))
        request.target = request.path;
    }),
  ),
];
