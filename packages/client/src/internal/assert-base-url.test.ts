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
  'localhost:4010',
  'ftp://a.example',
])('refuses %j without repeating it', (baseUrl) => {
  expect(() => assertBaseUrl(baseUrl)).toThrow(
    'baseUrl is an http or https address without credentials, query and fragment.',
  );
});
