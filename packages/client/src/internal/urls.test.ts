import { describe, expect, it } from 'vitest';
import { assertBaseUrl, encodeLink, toGatewayUrl } from './urls.ts';

it.each(['https://a.example', 'http://127.0.0.1:4010/', 'https://a.example/base', '', '/base'])(
  'takes %j',
  (baseUrl) => {
    expect(() => assertBaseUrl(baseUrl)).not.toThrow();
  },
);

it.each([
  'https://user@a.example',
  'https://:5ec4e7@a.example',
  'https://a.example/?x=5ec4e7',
  'https://a.example/#x',
  '/base?x=5ec4e7',
  'user:5ec4e7@a.example',
])('refuses %j without repeating it', (baseUrl) => {
  expect(() => assertBaseUrl(baseUrl)).toThrow(
    new TypeError('baseUrl must not contain credentials, a query or a fragment.'),
  );
});

it.each(['localhost:4010', '127.0.0.1:4010', 'a.example', 'ftp://a.example', 'http://a:99999'])(
  'refuses %j, which is not an http URL',
  (baseUrl) => {
    expect(() => assertBaseUrl(baseUrl)).toThrow(
      new TypeError(`baseUrl must be an absolute http(s) URL, got "${baseUrl}".`),
    );
  },
);

describe('toGatewayUrl', () => {
  it.each(['', 'a.b', 'evil.example/', 'a@b', '-a', 'a:1'])(
    'refuses the environment %j',
    (envId) => {
      expect(() => toGatewayUrl({ envId, gatewayDomain: 'gateway.example.com' })).toThrow(
        TypeError,
      );
    },
  );

  it.each(['', 'https://gateway.example.com', 'gateway.example.com/v1'])(
    'refuses the domain %j and says what fits',
    (gatewayDomain) => {
      expect(() => toGatewayUrl({ envId: 'dev', gatewayDomain })).toThrow(
        'gatewayDomain to a host',
      );
    },
  );
});

describe('encodeLink', () => {
  it.each([
    ['https://h/a%20b.txt?sign=a%2Fb', 'https://h/a%20b.txt?sign=a%2Fb'],
    ['https://h/a b.txt', 'https://h/a%20b.txt'],
    ['https://h/a ', 'https://h/a%20'],
    [
      'https://h/报告/摘要.txt?sign=1',
      'https://h/%E6%8A%A5%E5%91%8A/%E6%91%98%E8%A6%81.txt?sign=1',
    ],
    ['https://h/100%.txt', 'https://h/100%25.txt'],
    ['https://h/%E6%8A%A5 x%zz', 'https://h/%E6%8A%A5%20x%25zz'],
    ['https://h/a#b.txt?sign=1', 'https://h/a%23b.txt?sign=1'],
    ['https://h/a\\b.txt', 'https://h/a%5Cb.txt'],
  ])('makes %j into %j', (link, encoded) => {
    expect(encodeLink(link)).toBe(encoded);
    expect(encodeLink(encoded)).toBe(encoded);
  });

  it.each(['', '/a.txt', 'no address'])('rejects %j as a link', (link) => {
    expect(encodeLink(link)).toBeUndefined();
  });
});
