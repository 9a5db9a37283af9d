import { describe, expect, it } from 'vitest';
import { toGatewayUrl } from './to-gateway-url.ts';

describe('toGatewayUrl', () => {
  it('makes the environment the first host label', () => {
    const url = toGatewayUrl({ envId: 'dev-1', gatewayDomain: 'gateway.example.com' });
    expect(url).toBe('https://dev-1.gateway.example.com');
  });

  it('takes a base URL as it is', () => {
    expect(toGatewayUrl({ baseUrl: 'http://127.0.0.1:4010', envId: 'dev' })).toBe(
      'http://127.0.0.1:4010',
    );
  });

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
        'a host as gatewayDomain',
      );
    },
  );
});
