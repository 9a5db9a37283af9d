import { expect, it } from 'vitest';
import { LightRequest } from './light-request.ts';

// Babel makes functions of classes for React Native and old browsers; they check `this` before it has fields.
it('has an instance of its class before its fields are set', () => {
  expect(Object.create(LightRequest.prototype)).toBeInstanceOf(LightRequest);
});

it('takes every Request for its own, and nothing else', () => {
  const url = 'https://g.example';
  expect(new LightRequest(url, { method: 'GET' })).toBeInstanceOf(LightRequest);
  expect(new Request(url)).toBeInstanceOf(LightRequest);
  expect(new Response()).not.toBeInstanceOf(LightRequest);
  expect({}).not.toBeInstanceOf(LightRequest);
});
