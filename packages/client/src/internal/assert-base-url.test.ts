import { expect, it } from 'vitest';
import { assertBaseUrl } from './assert-base-url.ts';

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
    new TypeError('baseUrl must have no credentials, query or fragment.'),
  );
});

it.each(['localhost:4010', '127.0.0.1:4010', 'a.example', 'ftp://a.example', 'http://a:99999'])(
  'refuses %j, which is no address of http',
  (baseUrl) => {
    expect(() => assertBaseUrl(baseUrl)).toThrow(
      new TypeError(`baseUrl must be an absolute http(s) URL, got "${baseUrl}".`),
    );
  },
);
