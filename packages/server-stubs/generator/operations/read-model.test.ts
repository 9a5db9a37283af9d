import { describe, expect, it } from 'vitest';
import { toBasePath } from './read-model.ts';

const version = { v: { default: 'v1' } };

describe('toBasePath', () => {
  it.each([
    [[{ url: 'https://api.example' }], ''],
    [[{ url: 'https://api.example/' }], ''],
    [[{ url: 'https://{host}/api/{v}/', variables: version }], '/api/v1'],
    [[{ url: '/api' }, { url: '/other' }], '/api'],
    [[{ url: '{url}', variables: { url: { default: 'https://a.example/x?y' } } }], '/x'],
    [[{ url: 'api/v2' }], '/api/v2'],
    [[], undefined],
    [undefined, undefined],
  ])('%j is %j', (servers, path) => {
    expect(toBasePath(servers)).toBe(path);
  });
});
